/** Where each text of a folder was left: its cursor, what was at the top, and what was folded. Each tab of the browser has its own. */
import { afterMove } from "../../core/paths";
import { recall, remember } from "../../core/browser-storage";

/** Lines and columns count from 1. */
export interface TextPlace {
  line: number;
  column: number;
  top: number;
  folded: readonly number[];
}

const MOST = 200;

export class TextPlaces {
  readonly #key: string;
  #known: ReadonlyMap<string, TextPlace>;

  constructor(projectId: string) {
    this.#key = `text-places.${projectId}`;
    this.#known = new Map(recall(this.#key, isRemembered, "tab-first") ?? []);
  }

  of(path: string): TextPlace | null {
    return this.#known.get(path) ?? null;
  }

  note(path: string, place: TextPlace): void {
    const others = [...this.#known].filter(([one]) => one !== path);
    this.#keep([[path, place], ...others]);
  }

  /** A file, or a folder, has another path now. */
  rename(path: string, newPath: string): void {
    this.#keep([...this.#known].map(([one, place]) => [afterMove(one, path, newPath), place]));
  }

  #keep(entries: readonly (readonly [string, TextPlace])[]): void {
    this.#known = new Map(entries.slice(0, MOST));
    remember(this.#key, [...this.#known], "tab-first");
  }
}

function isRemembered(value: unknown): value is [string, TextPlace][] {
  return Array.isArray(value) && value.every((item) => Array.isArray(item) && item.length === 2 && typeof item[0] === "string" && isPlace(item[1]));
}

function isPlace(value: unknown): value is TextPlace {
  if (typeof value !== "object" || value === null) return false;
  const count = (one: unknown) => Number.isSafeInteger(one) && Number(one) >= 1;
  return "line" in value && count(value.line) && "column" in value && count(value.column) && "top" in value && count(value.top) && "folded" in value && Array.isArray(value.folded) && value.folded.every(count);
}
