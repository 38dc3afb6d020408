/** The field in which a message is written: its draft, what goes along, the menus of @ and /, the size of the next request. */
import { type AskPreview, type NewTurn, type Preview, type Problem, problemOf, RequestFailed } from "../api";
import { Attachments, type ReadSize } from "./attachments.svelte";
import { Choice } from "./choice.svelte";
import type { ReadNames } from "./filter.svelte";
import { Latest } from "./latest";
import { matchText } from "./match";
import type { Along } from "./picks";
import { NextRequest } from "./preview.svelte";
import { forget, recall, remember } from "./remembered";

export interface SlashCommand {
  id: string;
  title: string;
  hint: string;
  kind: "command" | "skill";
  /** The diamond of a skill. */
  color?: string;
  /** A skill that is on. */
  isOn?: boolean;
  run(): void;
}

/** One row of the menu over the field. */
export interface MenuRow {
  id: string;
  title: string;
  hint: string;
  kind: "file" | SlashCommand["kind"];
  color?: string | undefined;
  isOn?: boolean | undefined;
}

export interface ComposerSource {
  readNames: ReadNames;
  readSize: ReadSize;
  commands(): readonly SlashCommand[];
  /** The open tabs and the shown one. */
  tabs(): { open: readonly string[]; active: string | null };
  /** What is picked to go along with every message. */
  along(): Along;
  /** Waits until it is known what of it can go along; null where that is known. */
  counted(): Promise<unknown> | null;
  /** What would be sent; null where that can't be told beforehand. */
  preview: ((asked: AskPreview, signal: AbortSignal) => Promise<Preview>) | null;
}

interface Draft {
  text: string;
  paths: unknown;
}

const NAMES_MAX = 12;
const COUNT_WAIT_MS = 3000;
/** The most files that go along with one message. */
const FILES_SENT_MAX = 1000;

export class Composer {
  text = $state("");
  plan = $state(false);
  /** For a chat that has not begun: the model it will begin with. */
  model = $state<string | null>(null);
  menu = $state<"files" | "commands" | null>(null);
  rows = $state.raw<readonly MenuRow[]>([]);
  problem = $state.raw<Problem | null>(null);
  isSending = $state(false);
  /** Counts the times the field was asked to take the focus; the view does, and begins anew. */
  wantsFocus = $state(0);
  readonly attachments: Attachments;
  readonly choice = new Choice();
  /** What sending the draft would send. */
  readonly next: NextRequest;
  readonly #key: string;
  readonly #source: ComposerSource;
  readonly #names = new Latest(60);

  constructor(key: string, chatId: string | null, source: ComposerSource) {
    this.#key = `draft.${key}`;
    this.#source = source;
    this.attachments = new Attachments(source.readSize);
    const { preview } = source;
    this.next = new NextRequest(preview && ((turn, texts, signal) => preview({ chatId, turn, texts }, signal)), () => this.turn());
    const draft = recall(this.#key, isDraft);
    this.text = draft?.text ?? "";
    this.attachments.restorePaths(draft?.paths);
    this.measure();
  }

  get isEmpty(): boolean {
    return this.text.trim() === "" && this.attachments.isEmpty;
  }

  /** The same draft, for the chat that has just begun. */
  movedTo(chatId: string): Composer {
    const moved = new Composer(chatId, chatId, this.#source);
    moved.plan = this.plan;
    moved.wantsFocus = this.wantsFocus;
    if (this.text !== "") moved.type(this.text, 0);
    forget(this.#key);
    return moved;
  }

  /** Takes the text as it is now, with the caret; opens or closes a menu. */
  type(text: string, caret: number): void {
    this.text = text;
    this.problem = null;
    this.changed();
    const before = text.slice(0, caret);
    const file = /(?:^|\s)@([^\s@]*)$/.exec(before);
    const command = /^\/(\S*)$/.exec(before);
    if (file) this.#askFiles(file[1] ?? "");
    else if (command) this.#showCommands(command[1] ?? "");
    else this.closeMenu();
  }

  closeMenu(): void {
    this.#names.cancel();
    this.menu = null;
    this.rows = [];
  }

  /** Takes the chosen row of the menu. Answers where the caret goes. */
  choose(row: MenuRow, caret: number): number {
    const before = this.text.slice(0, caret);
    this.closeMenu();
    if (row.kind !== "file") {
      this.text = this.text.slice(caret);
      this.changed();
      this.#source.commands().find((command) => command.id === row.id)?.run();
      return 0;
    }
    const start = before.lastIndexOf("@");
    const kept = `${before.slice(0, start)}@${row.id} `;
    this.text = kept + this.text.slice(caret).replace(/^ /, "");
    void this.attachments.addPath(row.id).then(() => { this.changed(); });
    return kept.length;
  }

  /** The draft changed: it is kept, and the next request measured again. */
  changed(): void {
    this.#save();
    this.measure();
  }

  /** What is open beside the chat. */
  context(): Pick<NewTurn, "openTabs" | "activeTab"> {
    const { open, active } = this.#source.tabs();
    return { openTabs: [...open], activeTab: active };
  }

  turn(): NewTurn {
    const { files, ...along } = this.#source.along();
    return {
      text: this.attachments.messageOf(this.text.trim()),
      files: [...new Set([...this.attachments.paths.map((chip) => chip.path), ...files])],
      ...along,
      selection: this.attachments.selection,
      images: this.attachments.pictures.map(({ mediaType, data }) => ({ mediaType, data })),
      model: this.model,
      plan: this.plan,
      ...this.context(),
    };
  }

  /** Sends the draft. If that fails it stands here again, with the reason. */
  async send(how: (turn: NewTurn) => Promise<unknown>): Promise<void> {
    if (this.isEmpty || this.isSending) return;
    const counted = this.#source.counted();
    if (counted) await this.#wait(counted);
    const turn = this.turn();
    if (turn.files.length > FILES_SENT_MAX) {
      this.problem = tooManyFiles(turn.files.length);
      return;
    }
    const kept = { text: this.text, paths: this.attachments.paths, texts: this.attachments.texts, pictures: this.attachments.pictures, selection: this.attachments.selection };
    this.isSending = true;
    this.closeMenu();
    this.text = "";
    this.attachments.clear();
    this.changed();
    try {
      await how(turn);
    } catch (error) {
      if (!(error instanceof RequestFailed)) throw error;
      this.problem = error.problem;
      this.text = this.text === "" ? kept.text : `${kept.text}\n\n${this.text}`;
      Object.assign(this.attachments, { paths: kept.paths, texts: kept.texts, pictures: kept.pictures, selection: kept.selection });
      this.changed();
    } finally {
      this.isSending = false;
    }
  }

  focus(): void {
    this.wantsFocus += 1;
  }

  /** A count that takes long holds no message back. */
  async #wait(counted: Promise<unknown>): Promise<void> {
    this.isSending = true;
    await Promise.race([counted, new Promise((resolve) => { setTimeout(resolve, COUNT_WAIT_MS); })]);
    this.isSending = false;
  }

  #askFiles(query: string): void {
    this.menu = "files";
    this.choice.reset();
    this.#names.ask(
      (signal) => this.#source.readNames(query, NAMES_MAX, signal),
      ({ items }) => { this.rows = items.map(({ path }) => ({ id: path, title: path.slice(path.lastIndexOf("/") + 1), hint: path.slice(0, Math.max(0, path.lastIndexOf("/"))), kind: "file" })); },
      (error) => {
        this.closeMenu();
        this.problem = problemOf(error);
      },
    );
  }

  #showCommands(query: string): void {
    this.#names.cancel();
    this.choice.reset();
    this.rows = this.#source
      .commands()
      .flatMap((command) => {
        const match = matchText(query, command.title);
        return match ? [{ command, score: match.score }] : [];
      })
      .sort((a, b) => b.score - a.score)
      .map(({ command: { id, title, hint, kind, color, isOn } }) => ({ id, title, hint, kind, color, isOn }));
    this.menu = this.rows.length > 0 ? "commands" : null;
  }

  #save(): void {
    if (this.text === "" && this.attachments.paths.length === 0) forget(this.#key);
    else remember(this.#key, { text: this.text, paths: this.attachments.paths.map((chip) => chip.path) });
  }

  /** Asks what the next request would be; also when the conversation has grown. */
  measure(): void {
    this.next.measure();
  }
}

function tooManyFiles(count: number): Problem {
  const detail = `${count.toLocaleString("en")} files are to go along, and a message takes ${FILES_SENT_MAX.toLocaleString("en")}.`;
  return { type: "about:blank", title: "Too many files", status: 422, detail, remedy: "Untick some of them." };
}

function isDraft(value: unknown): value is Draft {
  return typeof value === "object" && value !== null && "text" in value && typeof value.text === "string" && "paths" in value;
}
