/** Printed text with its colours: the escapes that programs write for terminals become runs of one look. */

export interface AnsiRun {
  readonly text: string;
  /** Names of classes, such as "ansi-red ansi-bold". */
  readonly look: string;
  readonly style: string;
}

const NAMES = ["black", "red", "green", "yellow", "blue", "magenta", "cyan", "white"] as const;
// eslint-disable-next-line no-control-regex -- escapes are what is looked for
const ESCAPE = /\x1b\[([0-9;:]*)m|\x1b\[[0-9;?]*[A-Za-ln-z]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)|\x1b[()][A-Za-z0-9]|\x1b[=>78cMDEHNOZ]/g;

interface Look {
  front: string | null;
  back: string | null;
  marks: Set<string>;
}

export function ansiRuns(text: string): AnsiRun[] {
  if (!text.includes("\x1b")) return text === "" ? [] : [{ text, look: "", style: "" }];
  const runs: AnsiRun[] = [];
  const look: Look = { front: null, back: null, marks: new Set() };
  let at = 0;
  const add = (piece: string) => { if (piece !== "") runs.push({ text: piece, ...shown(look) }); };
  for (const found of text.matchAll(ESCAPE)) {
    add(text.slice(at, found.index));
    at = found.index + found[0].length;
    if (found[1] !== undefined) apply(look, found[1].split(/[;:]/).map(Number));
  }
  add(text.slice(at));
  return runs;
}

export function withoutAnsi(text: string): string {
  return text.replace(ESCAPE, "");
}

function shown({ front, back, marks }: Look): { look: string; style: string } {
  const classes = [...marks].map((mark) => `ansi-${mark}`);
  const styles: string[] = [];
  if (front?.startsWith("rgb")) {
    // On a ground of its own it is as it was meant; on the page's it must be read, light or dark.
    styles.push(back === null ? `--ansi: ${front}` : `color: ${front}`);
    if (back === null) classes.push("ansi-own");
  } else if (front) classes.push(`ansi-${front}`);
  if (back?.startsWith("rgb")) styles.push(`background-color: ${back}`);
  else if (back) classes.push(`ansi-on-${back}`);
  return { look: classes.join(" "), style: styles.join("; ") };
}

function apply(look: Look, codes: number[]): void {
  for (let at = 0; at < codes.length; at += 1) {
    const code = codes[at] ?? 0;
    if (code === 0) {
      look.front = look.back = null;
      look.marks.clear();
    } else if (code === 38 || code === 48) {
      const [colour, taken] = extended(codes.slice(at + 1));
      if (code === 38) look.front = colour;
      else look.back = colour;
      at += taken;
    } else applyOne(look, code);
  }
}

const MARKS: Record<number, string> = { 1: "bold", 2: "faint", 3: "italic", 4: "underline", 7: "inverse", 9: "struck" };
const ENDS: Record<number, readonly string[]> = { 22: ["bold", "faint"], 23: ["italic"], 24: ["underline"], 27: ["inverse"], 29: ["struck"] };

function applyOne(look: Look, code: number): void {
  const mark = MARKS[code];
  if (mark) look.marks.add(mark);
  for (const ended of ENDS[code] ?? []) look.marks.delete(ended);
  if (code === 39) look.front = null;
  if (code === 49) look.back = null;
  const [base, isBack] = code >= 100 ? [100, true] : code >= 90 ? [90, false] : code >= 40 ? [40, true] : [30, false];
  const name = NAMES[code - base];
  if (code < 30 || !name) return;
  if (isBack) look.back = name;
  else look.front = name;
}

/** A colour out of 256, or of all; and how many numbers that took. */
function extended([kind, one = 0, two = 0, three = 0]: number[]): [string | null, number] {
  if (kind === 2) return [`rgb(${[one, two, three].map(byte).join(" ")})`, 4];
  if (kind !== 5) return [null, 0];
  if (one < 16) return [NAMES[one % 8] ?? null, 2];
  if (one >= 232) {
    const grey = byte(8 + (one - 232) * 10);
    return [`rgb(${grey} ${grey} ${grey})`, 2];
  }
  const level = (step: number) => (step === 0 ? "0" : String(55 + step * 40));
  const cube = one - 16;
  return [`rgb(${level(Math.floor(cube / 36))} ${level(Math.floor(cube / 6) % 6)} ${level(cube % 6)})`, 2];
}

function byte(value: number): string {
  return String(Math.max(0, Math.min(255, Math.trunc(value) || 0)));
}
