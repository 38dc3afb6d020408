/** The page of a Word document: drawn, edited, kept in step with the server. */
import { history } from "prosemirror-history";
import { keymap } from "prosemirror-keymap";
import { Fragment, type Node } from "prosemirror-model";
import { type Command, EditorState, TextSelection, type Transaction } from "prosemirror-state";
import { EditorView } from "prosemirror-view";
import { blockOf, documentOf } from "./building";
import { changeAt, changePlaces, commentPlaces, commentsAt } from "./changes";
import { addRow, keys, passageOf, placeOf, readSelection, removeRow, selectedParagraphs, setLetters } from "./commands";
import { findingPlugin, foundIn, tellFinding, type Wanted } from "./finding";
import { headingsOf, PageStyles } from "./look";
import type { Block, Edit } from "./model";
import { numbering } from "./numbers";
import { eachParagraph, findParagraph, wordsIn } from "./paragraphs";
import { fitted, hasThings } from "./pasting";
import { lettersOf, schema } from "./schema";
import { withoutSheets } from "./sheets";
import { suggestAt, suggesting } from "./suggesting";
import type { GhostAround } from "./suggestion-commands";
import { takenIn } from "./taken";
import { aroundOf, type Frame, type Page, Session, type SessionOptions } from "./session";

export interface ViewerOptions<F extends Frame> extends SessionOptions<F> {
  canEdit: () => boolean;
  /** Goes to the next or previous tracked change. */
  step: (by: 1 | -1) => void;
  /** Accepts or rejects the tracked change at the cursor. */
  decide: (accept: boolean) => void;
  /** Who suggests how the text goes on. */
  ghost?: GhostAround;
  /** Pictures, notes and formulas were not pasted. */
  onLeftOut: () => void;
  /** The selection, or what is around it, has changed. */
  onSelection: (around: AroundCursor) => void;
}

export interface AroundCursor {
  marks: ReadonlySet<string>;
  style: string;
  list: string;
  inTable: boolean;
  change: string | null;
  comments: readonly string[];
  hasSelection: boolean;
  words: number;
}

let sheets = 0;

export class WordViewer<F extends Frame> {
  readonly session: Session<F>;
  readonly view: EditorView;
  readonly #options: ViewerOptions<F>;
  readonly #styles: PageStyles;
  #words = 0;
  #around: AroundCursor | null = null;
  #counted: Node | null = null;

  constructor(element: HTMLElement, page: Page<F>, options: ViewerOptions<F>) {
    this.#options = options;
    sheets += 1;
    this.#styles = new PageStyles(`[data-word-sheet="${String(sheets)}"]`);
    element.setAttribute("data-word-sheet", String(sheets));
    this.view = new EditorView(element, {
      state: EditorState.create({ doc: documentOf(page.blocks, aroundOf(page.frame, options.pictureAt)), plugins: [...(options.ghost ? [suggesting(options.ghost)] : []), this.#reviewKeys(), ...keys(), history(), numbering(), findingPlugin()] }),
      editable: options.canEdit,
      attributes: { class: "word-text", role: "textbox", "aria-multiline": "true", "aria-label": "Document text", spellcheck: "true" },
      clipboardSerializer: withoutSheets,
      transformPastedHTML: (html) => { if (hasThings(html)) options.onLeftOut(); return html; },
      transformPasted: (slice) => fitted(slice, headingsOf(this.session.page.frame)),
      handleDOMEvents: { dragstart: (_view, event) => { event.preventDefault(); return true; } },
      dispatchTransaction: (transaction) => { this.#dispatch(transaction); },
    });
    this.session = new Session(this.view, page, { ...options, onPage: (now) => { this.#styles.show(now.frame.styles); options.onPage(now); } });
    this.#styles.show(page.frame.styles);
    this.#tell();
  }

  /** The keys of the review of texts; where no change is, they mean what they mean elsewhere. */
  #reviewKeys() {
    const step = (by: 1 | -1): Command => () => {
      this.#options.step(by);
      return true;
    };
    const decide = (accept: boolean): Command => (state) => {
      if (changeAt(state) === null) return false;
      this.#options.decide(accept);
      return true;
    };
    return keymap({ "Alt-ArrowDown": step(1), "Alt-ArrowUp": step(-1), "Mod-Enter": decide(true), "Mod-Alt-Enter": decide(false) });
  }

  #dispatch(transaction: Transaction): void {
    const taken = takenIn(transaction, this.view.state);
    this.view.updateState(this.view.state.apply(transaction));
    this.session.onTransaction(transaction, taken);
    this.#tell();
  }

  #tell(): void {
    const { state } = this.view;
    const { $from, empty } = state.selection;
    const active = state.storedMarks ?? (empty ? $from.marks() : (state.doc.nodeAt(state.selection.from)?.marks ?? []));
    const [first] = selectedParagraphs(state);
    let inTable = false;
    for (let depth = $from.depth; depth > 0; depth -= 1) inTable ||= $from.node(depth).type.name === "cell";
    const around = {
      marks: new Set(active.filter((mark) => mark.attrs.on !== false).map((mark) => mark.type.name)),
      style: (first?.node.attrs.style ?? "") as string,
      list: (first?.node.attrs.list ?? "") as string,
      inTable,
      change: changeAt(state),
      comments: commentsAt(state),
      hasSelection: passageOf(state) !== null,
      words: this.#countWords(),
    };
    this.#around = around;
    this.#options.onSelection(around);
  }

  /** The tracked change at the cursor. */
  get change(): string | null {
    return this.#around?.change ?? null;
  }

  /** The headings, each with the number of its paragraph in the document, and the one around the cursor. */
  overview() {
    const landmarks: { title: string; depth: number; line: number }[] = [];
    let line = 0;
    let now = 1;
    const { head } = this.view.state.selection;
    eachParagraph(this.view.state.doc, (node, pos) => {
      line += 1;
      if (pos < head) now = line;
      const heading = node.attrs.heading as number;
      if (heading > 0) landmarks.push({ title: lettersOf(node), depth: heading, line });
    });
    return { landmarks, here: landmarks.filter((found) => found.line <= now).length - 1, line: now, lines: line };
  }

  goToLine(line: number): void {
    let at = 0;
    let found = 1;
    eachParagraph(this.view.state.doc, (_node, pos) => {
      at += 1;
      if (at === line) found = pos + 1;
    });
    this.goToPlace(found);
  }

  #countWords(): number {
    if (this.#counted !== this.view.state.doc) {
      this.#counted = this.view.state.doc;
      this.#words = wordsIn(this.view.state.doc);
    }
    return this.#words;
  }

  get text(): string {
    const lines: string[] = [];
    this.view.state.doc.descendants((node) => {
      if (!node.isTextblock) return true;
      lines.push(lettersOf(node));
      return false;
    });
    return lines.join("\n");
  }

  run(command: Command): void {
    readSelection(this.view);
    command(this.view.state, this.view.dispatch, this.view);
    this.view.focus();
  }

  focus(): void {
    this.view.focus();
  }

  /** Whether somebody writes in the page. */
  get isWriting(): boolean {
    return this.view.editable && this.view.hasFocus();
  }

  /** Whether the page may be edited has changed. */
  refresh(canEdit: boolean): void {
    this.view.setProps({ editable: () => canEdit });
  }

  /** Saves at once, with changes that only the server makes. */
  async make(edit: Edit): Promise<void> {
    await this.session.push(edit);
  }

  /** Adds a row below the cursor's, or takes its row out; what can't be done here is done by the server. */
  async changeRow(how: "addRow" | "removeRow"): Promise<void> {
    if ((how === "addRow" ? addRow : removeRow)(this.view.state, this.view.dispatch)) this.view.focus();
    else await this.make({ do: how, paragraph: this.paragraph });
  }

  passage() {
    return passageOf(this.view.state);
  }

  /** Where the selection begins and ends: letters of numbered paragraphs; null without one, or where nothing may be changed. */
  place() {
    return placeOf(this.view.state);
  }

  /** Asks for a suggestion at the caret. */
  suggest(): void {
    if (this.#options.ghost) suggestAt(this.view, this.#options.ghost);
  }

  /** The number of the paragraph at the cursor. */
  get paragraph(): number {
    return (selectedParagraphs(this.view.state)[0]?.node.attrs.number ?? 0) as number;
  }

  changePlaces(): Map<string, number> {
    return changePlaces(this.view.state.doc);
  }

  commentPlaces(): Map<string, number> {
    return commentPlaces(this.view.state.doc);
  }

  /** Goes to a tracked change, or to the words of a comment. */
  goToPlace(pos: number): void {
    const at = Math.min(pos, this.view.state.doc.content.size);
    this.view.dispatch(this.view.state.tr.setSelection(TextSelection.near(this.view.state.doc.resolve(at))).scrollIntoView());
    this.view.focus();
  }

  goToParagraph(number: number): void {
    const found = findParagraph(this.view.state.doc, number);
    if (found) this.goToPlace(found.pos + 1);
  }

  /** How far down a place shows, in pixels from the top of the element that holds the page. */
  topOf(pos: number, holder: Element): number {
    return this.view.coordsAtPos(Math.min(pos, this.view.state.doc.content.size)).top - holder.getBoundingClientRect().top;
  }

  /** Puts other letters into a paragraph. */
  setLetters(number: number, text: string): void {
    const found = findParagraph(this.view.state.doc, number);
    if (found) this.view.dispatch(setLetters(this.view.state, found.pos, found.node, text));
  }

  find(wanted: Wanted | null): { count: number; current: number } {
    if (this.view.isDestroyed) return { count: 0, current: 0 };
    this.view.dispatch(tellFinding(this.view.state, { wanted, current: wanted ? 0 : -1 }));
    return this.#found(false);
  }

  findAgain(step: 1 | -1): { count: number; current: number } {
    const { matches, current } = foundIn(this.view.state);
    if (matches.length > 0) this.view.dispatch(tellFinding(this.view.state, { current: (current + step + matches.length) % matches.length }));
    return this.#found(true);
  }

  #found(goes: boolean): { count: number; current: number } {
    const { matches, current } = foundIn(this.view.state);
    const match = matches[current];
    if (match && goes) this.view.dispatch(this.view.state.tr.setSelection(TextSelection.create(this.view.state.doc, match.from, match.to)).scrollIntoView());
    return { count: matches.length, current: current + 1 };
  }

  /** Replaces the current match, or all of them; the look of the first letter stays. */
  replace(text: string, all: boolean): { count: number; current: number } {
    const { matches, current } = foundIn(this.view.state);
    const change = this.view.state.tr;
    for (const { from, to } of (all ? [...matches] : matches.slice(current, current + 1)).reverse()) {
      const marks = (change.doc.nodeAt(from)?.marks ?? []).filter((mark) => mark.type.name !== "inserted" && mark.type.name !== "format");
      if (text === "") change.delete(from, to);
      else change.replaceWith(from, to, schema.text(text, marks));
    }
    this.view.dispatch(change);
    return this.#found(false);
  }

  destroy(): void {
    this.session.close();
    this.#styles.remove();
    this.view.destroy();
  }
}

/** Draws blocks that can only be read: headers, footers, notes. */
export function drawBlocks(element: HTMLElement, blocks: readonly Block[], frame: Frame, pictureAt: (part: string) => string): () => void {
  const around = aroundOf(frame, pictureAt);
  const doc = schema.node("doc", null, Fragment.from(blocks.length > 0 ? blocks.map((block) => blockOf(block, around)) : [schema.node("paragraph")]));
  const view = new EditorView(element, { state: EditorState.create({ doc }), editable: () => false, attributes: { class: "word-text" } });
  return () => { view.destroy(); };
}
