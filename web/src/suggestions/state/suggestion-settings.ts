/** The times to choose from for suggestions at the cursor, that of the file among them. */

export interface Choice {
  value: number;
  name: string;
}

const PAUSES = [300, 600, 1000, 2000];
const HIDES = [3, 5, 10, 30];

export function pauseChoices(current: number): Choice[] {
  return ordered(PAUSES, current).map((value) => ({ value, name: `${(value / 1000).toLocaleString("en")} s` }));
}

export function hideChoices(current: number): Choice[] {
  const seconds = ordered(HIDES, current).filter((value) => value > 0);
  return [...seconds.map((value) => ({ value, name: `After ${String(value)} s` })), { value: 0, name: "Never" }];
}

function ordered(usual: readonly number[], current: number): number[] {
  return [...new Set([...usual, current])].sort((a, b) => a - b);
}
