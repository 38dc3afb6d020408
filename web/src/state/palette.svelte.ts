/** The palette: one field over files, chats, commands and projects. */
import { type Chat, type FileNames, type Problem, problemOf, type Project } from "../api";
import { chatTitle, whenText } from "./chat-words";
import { Choice } from "./choice.svelte";
import type { Command } from "./commands";
import { folderOf, nameOf } from "./documents.svelte";
import type { ReadNames } from "./filter.svelte";
import { Latest } from "./latest";
import { matchText, type Run, runsOf } from "./match";

export type PaletteMode = "all" | "files";

export interface PaletteRow {
  id: string;
  kind: "file" | "chat" | "command" | "project";
  title: Run[];
  /** Right end of the row: a folder, or a path. */
  hint: string;
  keys: string | null;
  run(): void;
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
  chats(): readonly Chat[];
  projects(): readonly Project[];
  openFile(path: string): void;
  openChat(id: string): void;
  openProject(project: Project): void;
}

const FILES_MAX = 30;
const OTHERS_MAX = 8;
/** How many chats show before anything is typed. */
const CHATS_FIRST = 3;

export class Palette {
  open = $state(false);
  mode = $state<PaletteMode>("all");
  query = $state("");
  problem = $state.raw<Problem | null>(null);
  readonly choice = new Choice();
  #names = $state.raw<FileNames | null>(null);
  readonly #source: PaletteSource;
  readonly #latest = new Latest(50);

  readonly commandsOnly = $derived(this.mode === "all" && this.query.startsWith(">"));
  readonly wanted = $derived(this.commandsOnly ? this.query.slice(1).trim() : this.query.trim());
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
    this.#latest.cancel();
    this.open = false;
  }

  type(query: string): void {
    this.query = query;
    this.choice.reset();
    this.problem = null;
    if (this.wanted === "" || this.commandsOnly) {
      this.#latest.cancel();
      this.#names = null;
      return;
    }
    this.#latest.ask(
      (signal) => this.#source.readNames(this.wanted, FILES_MAX, signal),
      (names) => {
        this.#names = names;
        this.choice.index = Math.min(this.choice.index, Math.max(0, this.rows.length - 1));
      },
      (error) => {
        this.problem = problemOf(error);
      },
    );
  }

  /** Runs a row, after closing: what it opens must not be covered. */
  run(row: PaletteRow | undefined): void {
    if (!row) return;
    this.close();
    row.run();
  }

  #groups(): PaletteGroup[] {
    const groups = this.commandsOnly
      ? [this.#commands()]
      : this.mode === "files"
        ? [this.#files()]
        : [this.#files(), this.#chats(), this.#commands(), this.#projects()];
    return groups.filter((group) => group.rows.length > 0);
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
    return {
      id: `file:${path}`,
      kind: "file",
      title: runsOf(name, inName),
      hint: folderOf(path),
      keys: null,
      run: () => {
        this.#source.openFile(path);
      },
    };
  }

  #chats(): PaletteGroup {
    const max = this.wanted === "" ? CHATS_FIRST : OTHERS_MAX;
    const rows = ranked(this.#source.chats(), this.wanted, chatTitle).slice(0, max);
    return {
      name: "Chats",
      rows: rows.map(([chat, positions]) => ({
        id: `chat:${chat.id}`,
        kind: "chat",
        title: runsOf(chatTitle(chat), positions),
        hint: chat.isRunning ? "running" : whenText(chat.lastActiveAt),
        keys: null,
        run: () => {
          this.#source.openChat(chat.id);
        },
      })),
    };
  }

  #commands(): PaletteGroup {
    const enabled = this.#source.commands().filter((command) => command.enabled());
    const max = this.commandsOnly ? enabled.length : OTHERS_MAX;
    const rows = ranked(enabled, this.wanted, (command) => command.title).slice(0, max);
    return {
      name: "Commands",
      rows: rows.map(([command, positions]) => ({
        id: `command:${command.id}`,
        kind: "command",
        title: runsOf(command.title, positions),
        hint: "",
        keys: command.keys[0] ?? null,
        run: () => {
          command.run();
        },
      })),
    };
  }

  #projects(): PaletteGroup {
    const rows = ranked(this.#source.projects(), this.wanted, (project) => project.name).slice(0, OTHERS_MAX);
    return {
      name: "Projects",
      rows: rows.map(([project, positions]) => ({
        id: `project:${project.id}`,
        kind: "project",
        title: runsOf(project.name, positions),
        hint: project.path,
        keys: null,
        run: () => {
          this.#source.openProject(project);
        },
      })),
    };
  }
}

/** The items that match, best first; those of one score keep their order. */
export function ranked<T>(items: readonly T[], query: string, title: (item: T) => string): [T, number[]][] {
  return items
    .flatMap((item) => {
      const match = matchText(query, title(item));
      return match ? [{ item, match }] : [];
    })
    .sort((a, b) => b.match.score - a.match.score)
    .map(({ item, match }) => [item, match.positions]);
}
