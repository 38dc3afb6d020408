/** What this browser remembers about the page: sizes, theme, open tabs. Losing it costs nothing but a choice. */

/**
 * Who remembers: the browser for all its tabs; one tab, which survives a reload and forgets when it closes; or one tab
 * that begins, while it has nothing of its own, with what any tab of the browser had last.
 */
export type Memory = "browser" | "tab" | "tab-first";

/** A remembered value, or null when there is none of the expected shape. */
export function recall<T>(key: string, guard: (value: unknown) => value is T, memory: Memory = "browser"): T | null {
  const text = storesOf(memory).map((store) => store.getItem(`recto.${key}`)).find((found) => found !== null);
  if (text === undefined) return null;
  const value = parse(text);
  return guard(value) ? value : null;
}

/** Keeps a value; whether the browser took it. */
export function remember(key: string, value: unknown, memory: Memory = "browser"): boolean {
  try {
    const stores = storesOf(memory);
    for (const store of stores) store.setItem(`recto.${key}`, JSON.stringify(value));
    return stores.length > 0;
  } catch (error) {
    // A full or forbidden store must not stop the work at hand.
    if (!(error instanceof DOMException)) throw error;
    console.warn("This browser does not remember settings of the page.", error);
    return false;
  }
}

export function forget(key: string, memory: Memory = "browser"): void {
  for (const store of storesOf(memory)) store.removeItem(`recto.${key}`);
}

/** The keys of what the browser remembers under a beginning. */
export function remembered(beginning: string): string[] {
  return storesOf("browser").flatMap((store) => Object.keys(store)).flatMap((key) => (key.startsWith(`recto.${beginning}`) ? [key.slice("recto.".length)] : []));
}

export function isText(value: unknown): value is string {
  return typeof value === "string";
}

export function isTextList(value: unknown): value is string[] {
  return Array.isArray(value) && value.every(isText);
}

/** A guard for one of a few fixed words. */
export function oneOf<T extends string>(...words: readonly T[]): (value: unknown) => value is T {
  return (value): value is T => words.some((word) => word === value);
}

function storesOf(memory: Memory): Storage[] {
  try {
    if (memory === "browser") return [window.localStorage];
    return memory === "tab" ? [window.sessionStorage] : [window.sessionStorage, window.localStorage];
  } catch (error) {
    if (!(error instanceof DOMException)) throw error;
    return [];
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}
