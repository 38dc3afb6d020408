/** Messages that are written and not sent, each kept for its chat and the tab it was written in. Those of closed tabs are found again. */
import { type Brought, isBrought } from "./attachments.svelte";
import { BrowserTab } from "../../core/browser-tab";
import { forget, isText, isTextList, recall, remember, remembered } from "../../core/browser-storage";

export interface Draft {
  text: string;
  /** The files that go along. */
  paths: readonly string[];
}

interface Kept extends Draft {
  at: number;
}

/** A draft whose tab is closed. */
export interface LeftDraft extends Draft {
  /** Where it is kept. */
  place: string;
  brought: Brought;
  /** Its tab was left a moment ago, and may only be loading again. */
  mayReturn: boolean;
}

/** A browser keeps about five million letters for all of Recto. */
export const BROUGHT_MAX = 2_000_000;
/** A tab that is loaded again looks closed meanwhile: for this long nobody takes its draft unasked. */
export const RETURN_MS = 10_000;
const DRAFT = "draft.";
const BROUGHT = "brought.";
const NOTHING: Brought = { texts: [], pictures: [] };

export class Drafts {
  readonly #tab: Pick<BrowserTab, "id" | "open">;

  constructor(tab: Pick<BrowserTab, "id" | "open"> = new BrowserTab()) {
    this.#tab = tab;
    window.addEventListener("pagehide", () => { this.#stamp(); });
  }

  /** This tab's own draft for a chat. */
  own(chat: string): Draft | null {
    return recall(DRAFT + this.#place(chat), isKept);
  }

  /** What this tab's draft for a chat has from outside the folder. */
  brought(chat: string): Brought {
    return broughtAt(this.#place(chat));
  }

  /** Keeps this tab's draft for a chat; an empty one is forgotten. */
  save(chat: string, { text, paths }: Draft): void {
    const key = DRAFT + this.#place(chat);
    if (text === "" && paths.length === 0) forget(key);
    else remember(key, { text, paths, at: Date.now() } satisfies Kept);
  }

  /** Keeps what came from outside the folder, if it is not too large; whether it is kept. */
  saveBrought(chat: string, { texts, pictures }: Brought): boolean {
    const key = BROUGHT + this.#place(chat);
    const size = [...texts.map(({ text }) => text.length), ...pictures.map(({ data }) => data.length)].reduce((all, one) => all + one, 0);
    forget(key);
    if (texts.length + pictures.length === 0) return true;
    return size <= BROUGHT_MAX && remember(key, { texts, pictures } satisfies Brought);
  }

  /** What closed tabs left for a chat, the newest first. */
  async left(chat: string): Promise<LeftDraft[]> {
    const open = await this.#tab.open();
    const found = placesOf((place) => place.startsWith(`${chat}#`)).filter((place) => !open.has(tabOf(place))).flatMap((place) => {
      const kept = recall(DRAFT + place, isKept) ?? { text: "", paths: [], at: 0 };
      const brought = broughtAt(place);
      return isEmpty(kept, brought) ? [] : [{ place, brought, ...kept }];
    });
    return found
      .sort((one, other) => other.at - one.at)
      .map(({ place, text, paths, brought, at }) => ({ place, text, paths, brought, mayReturn: Date.now() - at < RETURN_MS }));
  }

  /** Takes what a closed tab left, for whoever comes first; whether it was still there, and its tab not back. */
  async take({ place }: LeftDraft): Promise<boolean> {
    if ((await this.#tab.open()).has(tabOf(place))) return false;
    const kept = recall(DRAFT + place, isKept) ?? { text: "", paths: [] };
    const isThere = !isEmpty(kept, broughtAt(place));
    forget(DRAFT + place);
    forget(BROUGHT + place);
    return isThere;
  }

  /** Notes on this tab's drafts when it was left. */
  #stamp(): void {
    for (const place of placesOf((one) => tabOf(one) === this.#tab.id)) {
      const { text, paths } = recall(DRAFT + place, isKept) ?? { text: "", paths: [] };
      remember(DRAFT + place, { text, paths, at: Date.now() } satisfies Kept);
    }
  }

  #place(chat: string): string {
    return `${chat}#${this.#tab.id}`;
  }
}

function broughtAt(place: string): Brought {
  return recall(BROUGHT + place, isBrought) ?? NOTHING;
}

function isEmpty({ text, paths }: Draft, { texts, pictures }: Brought): boolean {
  return text === "" && paths.length + texts.length + pictures.length === 0;
}

/** Where drafts are kept that are wanted, those with nothing but pictures included. */
function placesOf(isWanted: (place: string) => boolean): string[] {
  return [...new Set([DRAFT, BROUGHT].flatMap((kind) => remembered(kind).map((key) => key.slice(kind.length))))].filter(isWanted);
}

function tabOf(place: string): string {
  return place.slice(place.lastIndexOf("#") + 1);
}

function isKept(value: unknown): value is Kept {
  return (
    typeof value === "object" && value !== null &&
    "text" in value && isText(value.text) && "paths" in value && isTextList(value.paths) && "at" in value && typeof value.at === "number"
  );
}
