/** Keeps a page and its document on the server in step: what is typed is saved, what others do shows. */
import type { Node } from "prosemirror-model";
import type { Transaction } from "prosemirror-state";
import { Transform } from "prosemirror-transform";
import type { EditorView } from "prosemirror-view";
import { documentOf, type Surroundings } from "./building";
import { type Agreed, agreedOn, differences } from "./differences";
import type { Block, Edit, PageStyle } from "./model";
import { FROM_SERVER } from "./numbers";
import { eachParagraph, numberOf } from "./paragraphs";
import { reconciled } from "./reconciling";
import { Sheets } from "./sheets";
import type { Taken } from "./taken";

export interface Frame {
  styles: PageStyle[];
}

export interface Page<F extends Frame> {
  hash: string;
  frame: F;
  blocks: Block[];
}

export interface Splice<F extends Frame> extends Page<F> {
  isWhole: boolean;
  start: number;
  end: number;
  made: { asked: number; number: number }[];
  conflicts: Conflict[];
}

export interface Conflict {
  paragraph: number;
  mine: string;
  theirs: string;
}

export interface SessionOptions<F extends Frame> {
  edit: (hash: string, edits: Edit[], taken: Taken[]) => Promise<Splice<F>>;
  pictureAt: (part: string) => string;
  onPage: (page: Page<F>) => void;
  onConflicts: (conflicts: readonly Conflict[]) => void;
  onStanding: (standing: Standing) => void;
}

/** Whether what is typed is saved; a failure is what the server said. */
export interface Standing {
  saved: boolean;
  failure: unknown;
}

const SOON_MS = 500;
const MOST_TAKEN = 1000;
/** Whoever types without a pause is saved all the same. */
const LATEST_MS = 2000;

export class Session<F extends Frame> {
  readonly #view: EditorView;
  readonly #options: SessionOptions<F>;
  #page: Page<F>;
  #agreed: Agreed;
  #sending: Promise<void> | null = null;
  #timer: ReturnType<typeof setTimeout> | null = null;
  #since = 0;
  #closed = false;
  /** What was made of each block, as long as the styles stay. */
  #built = new WeakMap<Block, Node>();
  readonly #sheets: Sheets;
  #styles = "";
  /** What of the changes was not typed, and the server was not told yet. */
  #taken: Taken[] = [];
  /** How often the server answered with something new: what was read before that is old. */
  answers = 0;

  constructor(view: EditorView, page: Page<F>, options: SessionOptions<F>) {
    this.#view = view;
    this.#options = options;
    this.#page = page;
    this.#agreed = agreedOn(view.state.doc);
    this.#sheets = Sheets.of(view.state.doc);
    this.#styles = JSON.stringify(page.frame.styles);
    page.blocks.forEach((block, at) => this.#built.set(block, view.state.doc.child(at)));
  }

  get page(): Page<F> {
    return this.#page;
  }

  /** Whether the server does not have everything yet. */
  get isBehind(): boolean {
    return this.#sending !== null || this.#timer !== null || differences(this.#view.state.doc, this.#agreed).length > 0;
  }

  onTransaction(transaction: Transaction, taken: readonly Taken[] = []): void {
    if (!transaction.docChanged || transaction.getMeta(FROM_SERVER)) return;
    this.#taken.push(...taken);
    this.#options.onStanding({ saved: false, failure: null });
    if (this.#timer === null) this.#since = Date.now();
    else clearTimeout(this.#timer);
    const wait = Math.max(0, Math.min(SOON_MS, this.#since + LATEST_MS - Date.now()));
    this.#timer = setTimeout(() => { void this.push(); }, wait);
  }

  /** Saves what was changed. Resolves when nothing is left to save, or it can't be. */
  async push(...more: Edit[]): Promise<void> {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    while (this.#sending) await this.#sending;
    if (this.#closed) return;
    const edits = [...differences(this.#view.state.doc, this.#agreed), ...more];
    if (edits.length === 0) {
      this.#options.onStanding({ saved: true, failure: null });
      return;
    }
    this.#sending = this.#send(edits).finally(() => { this.#sending = null; });
    await this.#sending;
  }

  async #send(edits: Edit[]): Promise<void> {
    const sent = this.#view.state.doc;
    const taken = this.#taken;
    this.#taken = [];
    this.#options.onStanding({ saved: false, failure: null });
    try {
      const splice = await this.#options.edit(this.#page.hash, edits, taken.slice(-MOST_TAKEN));
      this.#take(splice, sent);
    } catch (failure) {
      this.#taken.unshift(...taken);
      this.#options.onStanding({ saved: false, failure });
    }
  }

  #take(splice: Splice<F>, sent: Node): void {
    if (this.#closed) return;
    this.answers += 1;
    const { hash, frame, isWhole } = splice;
    const blocks = isWhole ? splice.blocks : [...this.#page.blocks.slice(0, splice.start), ...splice.blocks, ...this.#page.blocks.slice(splice.end)];
    this.#page = { hash, frame, blocks };
    const made = new Map(splice.made.map(({ asked, number }) => [asked, number]));
    const isIdle = this.#view.state.doc === sent;
    if (made.size > 0) {
      const change = renumbered(this.#view.state.tr, made) as Transaction;
      this.#view.dispatch(change.setMeta("addToHistory", false).setMeta(FROM_SERVER, true));
    }
    // What was typed meanwhile was typed on what was sent: the server merges it with what it has.
    if (isIdle) this.#align();
    else this.#agreed = agreedOn(renumbered(new Transform(sent), made).doc);
    this.#options.onPage(this.#page);
    if (splice.conflicts.length > 0) this.#options.onConflicts(splice.conflicts);
    if (isIdle) this.#options.onStanding({ saved: true, failure: null });
    else if (this.#timer === null) this.#timer = setTimeout(() => { void this.push(); }, SOON_MS);
  }

  /** Shows a document as the server has it now; what was typed and is not saved stays and is saved first. */
  async show(page: Page<F>): Promise<void> {
    if (page.hash === this.#page.hash || this.#closed) return;
    if (this.isBehind) {
      await this.push();
      return;
    }
    this.#page = page;
    this.#align();
    this.#options.onPage(page);
  }

  /** Gives up what can't be saved, and shows what the server has. */
  discard(): void {
    this.#align();
    this.#options.onStanding({ saved: true, failure: null });
  }

  close(): void {
    this.#closed = true;
    if (this.#timer !== null) clearTimeout(this.#timer);
  }

  #align(): void {
    const styles = JSON.stringify(this.#page.frame.styles);
    if (styles !== this.#styles) this.#built = new WeakMap();
    this.#styles = styles;
    const target = documentOf(this.#page.blocks, { ...aroundOf(this.#page.frame, this.#options.pictureAt), built: this.#built, sheets: this.#sheets });
    const change = reconciled(this.#view.state, target);
    if (change.docChanged) this.#view.dispatch(change);
    this.#agreed = agreedOn(this.#view.state.doc);
  }
}

export function aroundOf(frame: Frame, pictureAt: (part: string) => string): Surroundings {
  return { styles: new Map(frame.styles.map((style) => [style.id, style])), pictureAt };
}

/** New paragraphs under the numbers that the server gave them. */
function renumbered(change: Transform, made: ReadonlyMap<number, number>): Transform {
  eachParagraph(change.doc, (node, pos) => {
    const number = made.get(numberOf(node));
    if (number !== undefined) change.setNodeMarkup(pos, null, { ...node.attrs, number, cut: 0 });
  });
  return change;
}
