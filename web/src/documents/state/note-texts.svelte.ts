/** The texts of notes that other texts show: read once, and again when something in their folder has changed. */
import { folderOf } from "../../core/paths";
import { sectionOf } from "../../core/headings";

export type NoteShown = { path: string; text: string } | "looking" | "missing";

interface Known {
  shown: NoteShown;
  isStale: boolean;
}

/** Where the note of a name is; undefined while it is looked for the first time. */
interface Place {
  path: string | null | undefined;
  isStale: boolean;
}

interface Reading {
  /** The path of a note by its name in a text; null for none. */
  find: (name: string, from: string) => Promise<string | null>;
  read: (path: string) => Promise<string>;
}

/** More of a note is not shown in another. */
const MOST = 20_000;

export class NoteTexts {
  /** Grows whenever a text was read. */
  changes = $state(0);
  readonly #known = new Map<string, Known>();
  readonly #places = new Map<string, Place>();
  readonly #reading: Reading;

  constructor(reading: Reading) {
    this.#reading = reading;
  }

  onFiles(folders: readonly string[], all: boolean): void {
    let isStale = false;
    for (const known of this.#known.values()) {
      known.isStale ||= all || typeof known.shown === "string" || folders.includes(folderOf(known.shown.path));
      isStale ||= known.isStale;
    }
    for (const place of this.#places.values()) {
      place.isStale ||= all || typeof place.path !== "string" || folders.includes(folderOf(place.path));
      isStale ||= place.isStale;
    }
    if (isStale) this.changes += 1;
  }

  /** Whether no file has a name, as links of a text mean it. */
  isMissing(name: string, from: string): boolean {
    const file = name.replace(/#.*$/s, "").trim();
    if (file === "") return false;
    const key = `${folderOf(from)}\n${file}`;
    const place = this.#places.get(key) ?? { path: undefined, isStale: true };
    this.#places.set(key, place);
    if (place.isStale) this.#look(file, from, place);
    return place.path === null;
  }

  #look(file: string, from: string, place: Place): void {
    place.isStale = false;
    this.#reading.find(file, from).then(
      (path) => {
        const isNews = (path === null) !== (place.path === null);
        place.path = path;
        if (isNews) this.changes += 1;
      },
      (error: unknown) => {
        // Looked for again with the next change in the folder; until then it is a link like others.
        console.warn(`The note ${file} could not be looked for.`, error);
      },
    );
  }

  /** What `name`, which may name a heading, means in a text. What was known shows until something newer is read. */
  shown(name: string, from: string): NoteShown {
    const key = `${folderOf(from)}\n${name}`;
    const known = this.#known.get(key) ?? { shown: "looking", isStale: true };
    this.#known.set(key, known);
    if (known.isStale) this.#read(name, from, known);
    return known.shown;
  }

  /** The beginning of a note, or of what stands under one of its headings; null for no note. */
  async beginning(name: string, from: string): Promise<string | null> {
    const found = await this.#find(name, from);
    return typeof found === "string" ? null : found.text.slice(0, 1200);
  }

  #read(name: string, from: string, known: Known): void {
    known.isStale = false;
    this.#find(name, from).then(
      (found) => {
        if (JSON.stringify(found) === JSON.stringify(known.shown)) return;
        known.shown = found;
        this.changes += 1;
      },
      (error: unknown) => {
        // Read again with the next change in the folder; until then its name is shown.
        console.warn(`The note ${name} could not be read.`, error);
      },
    );
  }

  async #find(name: string, from: string): Promise<NoteShown> {
    const [, file = "", heading = ""] = /^([^#]*)#?(.*)$/s.exec(name) ?? [];
    const path = file.trim() === "" ? from : await this.#reading.find(file.trim(), from);
    if (path === null || !/\.(?:md|markdown|mkd|qmd|rmd|txt)$/i.test(path)) return "missing";
    const whole = withoutHead(await this.#reading.read(path));
    const text = heading.trim() === "" ? whole : sectionOf(whole, heading);
    return text === null ? "missing" : { path, text: linksNamed(text.length > MOST ? `${text.slice(0, MOST)}…` : text) };
  }
}

function withoutHead(text: string): string {
  return text.replace(/^---[ \t]*\r?\n[\s\S]*?\r?\n(?:---|\.\.\.)[ \t]*(?:\r?\n|$)/, "");
}

/** Wiki links as what they say: a text within another shows no third one. */
function linksNamed(text: string): string {
  return text.replace(/!?\[\[([^[\]|\n]+)(?:\|([^[\]|\n]+))?\]\]/g, (_, name: string, shown?: string) => shown ?? name);
}
