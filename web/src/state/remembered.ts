/** What this browser remembers about the page: sizes, theme, open tabs. Losing it costs nothing but a choice. */

/** Who remembers: the browser for all its tabs, or one tab, which survives a reload and forgets when it closes. */
export type Memory = "browser" | "tab";

/** A remembered value, or null when there is none of the expected shape. */
export function recall<T>(key: string, guard: (value: unknown) => value is T, memory: Memory = "browser"): T | null {
  const text = storage(memory)?.getItem(`recto.${key}`) ?? null;
  if (text === null) return null;
  const value = parse(text);
  return guard(value) ? value : null;
}

export function remember(key: string, value: unknown, memory: Memory = "browser"): void {
  try {
    storage(memory)?.setItem(`recto.${key}`, JSON.stringify(value));
  } catch (error) {
    // A full or forbidden store must not stop the work at hand.
    if (!(error instanceof DOMException)) throw error;
    console.warn("This browser does not remember settings of the page.", error);
  }
}

export function forget(key: string, memory: Memory = "browser"): void {
  storage(memory)?.removeItem(`recto.${key}`);
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

function storage(memory: Memory): Storage | null {
  try {
    return memory === "browser" ? window.localStorage : window.sessionStorage;
  } catch (error) {
    if (!(error instanceof DOMException)) throw error;
    return null;
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
