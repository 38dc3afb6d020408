/** The palette: one field over files, chats, contexts, skills, commands, models and projects. */
import { type FileNames, type Problem, problemOf } from "../../api";
import { Choice } from "../../core/choice.svelte";
import type { Command } from "../../core/commands";
import { folderOf, nameOf } from "../../core/paths";
import type { ReadNames } from "../../files/state/filter.svelte";
import { LatestRequest } from "../../core/latest-request";
import { ranked, type Run, runsOf } from "../../core/fuzzy-match";

/** What it shows: everything, files alone, or what can go along with a message. */
export type PaletteMode = "all" | "files" | "picks";
export type PaletteKind = "file" | "chat" | "folder" | "context" | "skill" | "command" | "model" | "project";

/** Something that can be found by its title. */
export interface PaletteItem {
  id: string;
  kind: PaletteKind;
  title: string;
  /** Right end of the row: a folder, a path, a size. */
  hint: string;
  keys?: string | null;
  /** The dot of a context, the diamond of a skill. */
  color?: string;
  /** Whether it is switched on; not said where nothing is switched. */
  isOn?: boolean;
  run(): void;
}

export interface PaletteSection {
  name: string;
  items: readonly PaletteItem[];
  /** How many show before anything is typed. */
  first: number;
}

export interface PaletteRow extends Omit<PaletteItem, "title"> {
  title: Run[];
}

export interface PaletteGroup {
  name: string;
  rows: PaletteRow[];
}

/** Where the palette's rows come from, read when they are needed. */
export interface PaletteSource {
  readNames: ReadNames;
  recent(): readonly string[];
  commands(): readonly Command[];
  /** What stands between the files and the commands. */
  before(): readonly PaletteSection[];
  /** What stands after the commands. */
  after(): readonly PaletteSection[];
  /** What can go along with a message. */
  picks(): readonly PaletteSection[];
  openFile(path: string): void;
}

/** A sign in front asks for one kind alone. */
const SIGNS: Readonly<Record<string, PaletteKind>> = { ">": "command", "@": "chat", "#": "model" };
const FILES_MAX = 30;
const OTHERS_MAX = 8;

export class Palette {
  open = $state(false);
  mode = $state<PaletteMode>("all");
  query = $state("");
  problem = $state.raw<Problem | null>(null);
  readonly choice = new Choice();
  #names = $state.raw<FileNames | null>(null);
  /** Whether files with what was typed are being looked for. */
  isLooking = $state(false);
  readonly #source: PaletteSource;
  readonly #latest = new LatestRequest(50);

  readonly only: PaletteKind | null = $derived(this.mode === "all" ? (SIGNS[this.query.charAt(0)] ?? null) : null);
  readonly wanted = $derived(this.only ? this.query.slice(1).trim() : this.query.trim());
  readonly groups: PaletteGroup[] = $derived(this.open ? this.#groups() : []);
  readonly rows: PaletteRow[] = $derived(this.groups.flatMap((group) => group.rows));

  constructor(source: PaletteSource) {
    this.#source = source;
  }

  show(mode: PaletteMode = "all", query = ""): void {
    this.mode = mode;
    this.open = true;
    this.#names = null;
    this.type(query);
  }

  close(): void {
    this.#forget();
    this.open = false;
  }

  type(query: string): void {
    this.query = query;
    this.choice.reset();
    this.problem = null;
    if (this.wanted === "" || this.only !== null || this.mode === "picks") {
      this.#forget();
      this.#names = null;
      return;
    }
    this.isLooking = true;
    this.#latest.ask(
      (signal) => this.#source.readNames(this.wanted, FILES_MAX, signal),
      (names) => {
        this.isLooking = false;
        this.#names = names;
        this.choice.index = Math.min(this.choice.index, Math.max(0, this.rows.length - 1));
      },
      (error) => {
        this.isLooking = false;
        this.problem = problemOf(error);
      },
    );
  }

  /** Runs the chosen row. Who types a name and presses Enter at once means that name, not what stood first before it was found. */
  enter(): void {
    const run = () => { this.run(this.rows[this.choice.index]); };
    if (this.choice.index > 0) run();
    else this.#latest.whenAnswered(run);
  }

  /** Runs a row, after closing: what it opens must not be covered. Where several may be switched on, it stays. */
  run(row: PaletteRow | undefined): void {
    if (!row) return;
    if (this.mode !== "picks" || row.isOn === undefined) this.close();
    row.run();
  }

  #forget(): void {
    this.#latest.cancel();
    this.isLooking = false;
  }

  #groups(): PaletteGroup[] {
    return this.#shown().filter((group) => group.rows.length > 0);
  }

  #shown(): PaletteGroup[] {
    if (this.only === "command") return [this.#commands()];
    if (this.mode === "files") return [this.#files()];
    if (this.mode === "picks") return this.#source.picks().map((section) => this.#ranked(section, section.items.length));
    const before = this.#source.before();
    const after = this.#source.after();
    if (this.only !== null) return [...before, ...after].filter(({ items }) => items[0]?.kind === this.only).map((section) => this.#ranked(section, section.items.length));
    const found = (section: PaletteSection) => this.#ranked(section, this.wanted === "" ? section.first : OTHERS_MAX);
    // What is called exactly what was typed goes before files that merely resemble it.
    const meant = [...before, ...after].filter((section) => this.#isNamed(section));
    const others = (sections: readonly PaletteSection[]) => sections.filter((section) => !meant.includes(section)).map(found);
    return [...meant.map(found), this.#files(), ...others(before), this.#commands(), ...others(after)];
  }

  #isNamed({ items }: PaletteSection): boolean {
    const wanted = this.wanted.toLowerCase();
    return wanted !== "" && items.some(({ title }) => title.toLowerCase() === wanted);
  }

  #files(): PaletteGroup {
    if (this.wanted === "") {
      const rows = this.#source.recent().slice(0, this.mode === "files" ? FILES_MAX : 5);
      return { name: "Recent files", rows: rows.map((path) => this.#fileRow(path, [])) };
    }
    const rows = (this.#names?.items ?? []).slice(0, this.mode === "files" ? FILES_MAX : OTHERS_MAX);
    return { name: "Files", rows: rows.map((item) => this.#fileRow(item.path, item.positions)) };
  }

  #fileRow(path: string, positions: readonly number[]): PaletteRow {
    const name = nameOf(path);
    const start = path.length - name.length;
    const inName = positions.filter((at) => at >= start).map((at) => at - start);
    return { id: `file:${path}`, kind: "file", title: runsOf(name, inName), hint: folderOf(path), run: () => { this.#source.openFile(path); } };
  }

  #commands(): PaletteGroup {
    const items = this.#source.commands().filter((command) => command.enabled()).map(commandItem);
    return this.#ranked({ name: "Commands", items, first: OTHERS_MAX }, this.only ? items.length : OTHERS_MAX);
  }

  #ranked({ name, items }: PaletteSection, max: number): PaletteGroup {
    const rows = ranked(items, this.wanted, (item) => item.title).slice(0, max);
    return { name, rows: rows.map(([item, positions]) => ({ ...item, title: runsOf(item.title, positions) })) };
  }
}

function commandItem(command: Command): PaletteItem {
  const { id, title, keys } = command;
  return { id: `command:${id}`, kind: "command", title, hint: "", keys: keys[0] ?? null, run: () => { command.run(); } };
}
