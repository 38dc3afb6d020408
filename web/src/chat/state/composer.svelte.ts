/** The field in which a message is written: its draft, what goes along, the menus of @ and /, the size of the next request. */
import { type NewTurn, type Problem, problemOf, RequestFailed, UNREACHABLE } from "../../api";
import { Attachments, type Brought } from "./attachments.svelte";
import { ComposerMenu } from "./composer-menu.svelte";
import type { ComposerSource, GoesAlong, MenuRow } from "./composer-source";
import type { Draft, LeftDraft } from "./drafts";
import { NextRequest } from "../../request-preview/state/preview.svelte";

export type { ComposerSource, GoesAlong, MenuRow, SlashCommand } from "./composer-source";

const COUNT_WAIT_MS = 3000;
/** The most files that go along with one message. */
const FILES_SENT_MAX = 1000;

export class Composer {
  text = $state("");
  plan = $state(false);
  problem = $state.raw<Problem | null>(null);
  isSending = $state(false);
  /** What is on its way and has not arrived: the field is empty again by then. */
  underWay = $state("");
  /** What closed tabs left for this chat, the newest first. */
  left = $state.raw<readonly LeftDraft[]>([]);
  /** Counts the times the field was asked to take the focus; the view does, and begins anew. */
  wantsFocus = $state(0);
  readonly attachments: Attachments;
  readonly menu: ComposerMenu;
  /** What sending the draft would send. */
  readonly next: NextRequest;
  readonly #key: string;
  readonly #chatId: string | null;
  readonly #source: ComposerSource;
  /** What is on its way: a draft until the server has it. */
  #sent: Draft | null = null;
  /** What came from outside the folder, as it was kept last. */
  #kept: Brought;

  constructor(key: string, chatId: string | null, source: ComposerSource) {
    this.#key = key;
    this.#chatId = chatId;
    this.#source = source;
    this.attachments = new Attachments(source.readSize);
    this.menu = new ComposerMenu(source, (error) => { this.problem = problemOf(error); });
    const { preview } = source;
    this.next = new NextRequest(preview && ((turn, texts, signal) => preview({ chatId, turn, texts }, signal)), () => this.turn());
    const draft = source.drafts.own(key);
    if (draft) this.#add(draft);
    this.attachments.addBrought(source.drafts.brought(key));
    this.#kept = { texts: this.attachments.texts, pictures: this.attachments.pictures };
    this.measure();
  }

  get isEmpty(): boolean {
    return this.text.trim() === "" && this.attachments.isEmpty;
  }

  /** For a chat that has not begun: the model it will begin with. */
  get model(): string | null {
    return this.#chatId === null ? this.#source.model.id : null;
  }

  /** A model was chosen, for this conversation and those that begin later. */
  modelChosen(id: string | null): void {
    this.#source.model.choose(id);
    this.#source.recount();
    this.changed();
  }

  /** The same draft, for the chat that has just begun. */
  movedTo(chatId: string): Composer {
    const moved = new Composer(chatId, chatId, this.#source);
    moved.plan = this.plan;
    moved.wantsFocus = this.wantsFocus;
    if (this.text !== "") moved.type(this.text, 0);
    this.text = "";
    return moved;
  }

  /** The field is shown: it takes the newest of what closed tabs left, if it is empty; the others are offered. */
  async findLeft(): Promise<void> {
    this.left = await this.#source.drafts.left(this.#key);
    const [newest] = this.left;
    if (newest && !newest.mayReturn && this.isEmpty && !this.isSending) await this.takeLeft(newest);
  }

  /** Takes what a closed tab left into the field, after what stands there. */
  async takeLeft(draft: LeftDraft): Promise<void> {
    if (!(await this.removeLeft(draft))) return;
    this.#add(draft);
    this.attachments.addBrought(draft.brought);
    this.changed();
  }

  /** Forgets what a closed tab left; whether it was still there. */
  removeLeft(draft: LeftDraft): Promise<boolean> {
    this.left = this.left.filter((one) => one !== draft);
    return this.#source.drafts.take(draft);
  }

  /** Takes the text as it is now, with the caret; opens or closes a menu. */
  type(text: string, caret: number): void {
    this.text = text;
    this.problem = null;
    this.changed();
    this.menu.show(text.slice(0, caret));
  }

  /** Puts words behind those that stand in the field. */
  insert(text: string): void {
    this.text = joined(this.text, text);
    this.changed();
    this.focus();
  }

  /** Takes the chosen row of the menu. Answers where the caret goes. */
  choose(row: MenuRow, caret: number): number {
    const before = this.text.slice(0, caret);
    if (row.kind !== "file" && row.kind !== "resource") {
      const command = this.menu.command(row.id);
      this.menu.close();
      this.text = this.text.slice(caret);
      this.changed();
      command?.run(this);
      return 0;
    }
    const kept = `${before.slice(0, before.lastIndexOf("@"))}@${row.id}${row.isPart === true ? "" : " "}`;
    const text = kept + this.text.slice(caret).replace(/^ /, "");
    if (row.isPart === true) this.type(text, kept.length);
    else {
      this.menu.close();
      this.text = text;
      if (row.kind === "file") void this.attachments.addPath(row.id).then(() => { this.changed(); });
      else this.changed();
    }
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

  /** What goes along with every message, whatever the draft holds. */
  goesAlong(): GoesAlong {
    return { ...this.#source.along(), ...this.context() };
  }

  turn(): NewTurn {
    const { files, ...along } = this.goesAlong();
    return {
      text: this.attachments.messageOf(this.text.trim()),
      files: [...new Set([...this.attachments.paths.map((chip) => chip.path), ...files])],
      ...along,
      selection: this.attachments.selection,
      images: this.attachments.pictures.map(({ mediaType, data }) => ({ mediaType, data })),
      model: this.model,
      plan: this.plan,
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
    this.#sent = { text: kept.text, paths: kept.paths.map((chip) => chip.path) };
    this.isSending = true;
    this.underWay = kept.text;
    this.menu.close();
    this.text = "";
    this.attachments.clear();
    this.changed();
    try {
      await how(turn);
      this.#sent = null;
      this.#save();
    } catch (error) {
      if (!(error instanceof RequestFailed)) throw error;
      this.#sent = null;
      this.problem = error.problem;
      this.text = joined(kept.text, this.text);
      Object.assign(this.attachments, { paths: kept.paths, texts: kept.texts, pictures: kept.pictures, selection: kept.selection });
      this.changed();
    } finally {
      this.isSending = false;
      this.underWay = "";
    }
  }

  /** Recto answers again. */
  forgetUnreachable(): void {
    if (this.problem?.status === UNREACHABLE) this.problem = null;
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

  #save(): void {
    const paths = this.attachments.paths.map((chip) => chip.path);
    this.#source.drafts.save(this.#key, { text: joined(this.#sent?.text ?? "", this.text), paths: [...new Set([...(this.#sent?.paths ?? []), ...paths])] });
    if (this.#sent === null) this.#keepBrought();
  }

  /** It may be large: it is written only when it has changed. */
  #keepBrought(): void {
    const { texts, pictures } = this.attachments;
    if (texts === this.#kept.texts && pictures === this.#kept.pictures) return;
    this.#kept = { texts, pictures };
    this.attachments.isKept = this.#source.drafts.saveBrought(this.#key, this.#kept);
  }

  #add({ text, paths }: Draft): void {
    this.text = joined(this.text, text);
    this.attachments.restorePaths([...new Set([...this.attachments.paths.map((chip) => chip.path), ...paths])]);
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

function joined(first: string, second: string): string {
  return [first, second].filter((text) => text !== "").join("\n\n");
}
