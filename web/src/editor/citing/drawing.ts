/** Draws citations: as they will print where the text is rendered, unknown keys underlined, the bibliography at its place. */
import { syntaxTree } from "@codemirror/language";
import { type EditorState, type Extension, type Range, StateField, type Text } from "@codemirror/state";
import { Decoration, type DecorationSet, EditorView, ViewPlugin, type ViewUpdate, WidgetType } from "@codemirror/view";
import type { CitingAround, Run } from "./around";
import { type Citation, citationsIn, headOf } from "./citations";
import { LineSearch } from "./line-search";
import { wordsOf } from "./printed-words";
import { namesOf, type Printed, printed } from "./printing";

const unknown = Decoration.mark({ class: "cm-cite-unknown" });
const source = Decoration.mark({ class: "cm-cite-source" });
const PLACE_BEGINS = /^:{3,}\s*\{[^}]*#refs[^}]*\}\s*$/;
const PLACE_ENDS = /^:{3,}\s*$/;
const HEADING = /^#{1,6}[ \t]/;
const SECTION_TITLE = /^reference-section-title:[ \t]*["']?([^\n]*?)["']?[ \t]*$/m;
const TAGS: Record<Run["look"], string> = { plain: "span", italic: "em", bold: "strong", raised: "sup" };

function write(place: HTMLElement, runs: readonly Run[]): void {
  for (const { text, look } of runs) {
    const piece = document.createElement(TAGS[look]);
    piece.textContent = text;
    place.append(piece);
  }
}

class PrintedCitation extends WidgetType {
  constructor(
    readonly runs: readonly Run[],
    readonly keys: string,
  ) {
    super();
  }
  override eq(other: PrintedCitation): boolean {
    return other.keys === this.keys && JSON.stringify(other.runs) === JSON.stringify(this.runs);
  }
  override toDOM(): HTMLElement {
    const place = document.createElement("span");
    place.className = "cm-cite";
    place.dataset.keys = this.keys;
    write(place, this.runs);
    return place;
  }
  override ignoreEvent(): boolean {
    return false;
  }
}

class AddButton extends WidgetType {
  constructor(
    readonly key: string,
    readonly add: (key: string) => void,
  ) {
    super();
  }
  override eq(other: AddButton): boolean {
    return other.key === this.key;
  }
  override toDOM(): HTMLElement {
    const button = document.createElement("button");
    button.className = "cm-cite-add";
    button.type = "button";
    button.textContent = "Add";
    button.setAttribute("aria-label", `Add ${this.key} to the library`);
    button.addEventListener("mousedown", (event) => { event.preventDefault(); });
    button.addEventListener("click", () => { this.add(this.key); });
    return button;
  }
}

class Bibliography extends WidgetType {
  constructor(
    readonly entries: readonly (readonly Run[])[],
    readonly heading: string,
  ) {
    super();
  }
  override eq(other: Bibliography): boolean {
    return other.heading === this.heading && JSON.stringify(other.entries) === JSON.stringify(this.entries);
  }
  override toDOM(): HTMLElement {
    const place = document.createElement("section");
    place.className = "cm-bibliography";
    place.setAttribute("aria-label", "Bibliography");
    if (this.heading !== "") {
      const heading = document.createElement("div");
      heading.className = "cm-bibliography-heading";
      heading.textContent = this.heading;
      place.append(heading);
    }
    for (const entry of this.entries) {
      const line = document.createElement("p");
      write(line, entry);
      place.append(line);
    }
    return place;
  }
}

function isTouched(view: EditorView, { from, to }: Citation): boolean {
  return view.hasFocus && view.state.selection.ranges.some((range) => range.from <= to && range.to >= from);
}

function draw(view: EditorView, citations: readonly Citation[], known: Printed, isRendered: boolean, add: (key: string) => void): DecorationSet {
  const made: Range<Decoration>[] = [];
  const names = namesOf(citations);
  for (const [at, citation] of citations.entries()) {
    if (!view.visibleRanges.some(({ from, to }) => from <= citation.to && to >= citation.from)) continue;
    const missing = citation.keys.filter(({ key }) => known.unknown.has(key));
    const runs = known.citations.get(names[at] ?? "") ?? [];
    if (isRendered && missing.length === 0 && runs.length > 0 && !isTouched(view, citation)) {
      made.push(Decoration.replace({ widget: new PrintedCitation(runs, citation.keys.map(({ key }) => key).join(" ")) }).range(citation.from, citation.to));
      continue;
    }
    made.push(source.range(citation.from, citation.to));
    for (const { key, from, to } of missing) {
      made.push(unknown.range(from, to));
      made.push(Decoration.widget({ widget: new AddButton(key, add), side: 1 }).range(Math.max(to, citation.text.startsWith("[") ? citation.to : to)));
    }
  }
  return Decoration.set(made, true);
}

function citationsDrawn(isRendered: () => boolean, around: CitingAround): Extension {
  return ViewPlugin.fromClass(
    class {
      decorations: DecorationSet;
      #citations: readonly Citation[];
      #wasRendered = isRendered();

      constructor(readonly view: EditorView) {
        this.#citations = citationsIn(view.state);
        this.decorations = this.#draw();
      }

      update(update: ViewUpdate): void {
        const parsed = syntaxTree(update.state) !== syntaxTree(update.startState);
        const shown = update.state.field(printed) !== update.startState.field(printed);
        if (update.docChanged || parsed) this.#citations = citationsIn(update.state);
        if (update.view.compositionStarted) this.decorations = this.decorations.map(update.changes);
        else if (update.docChanged || parsed || shown || update.selectionSet || update.focusChanged || update.viewportChanged || isRendered() !== this.#wasRendered) this.decorations = this.#draw();
        this.#wasRendered = isRendered();
      }

      #draw(): DecorationSet {
        return draw(this.view, this.#citations, this.view.state.field(printed), isRendered(), around.add);
      }
    },
    { decorations: (plugin) => plugin.decorations },
  );
}

interface DrawnBibliography {
  readonly set: DecorationSet;
  readonly rendered: boolean;
  /** The lines in whose place it stands: `::: {#refs}` and `:::`. */
  readonly place: { from: number; to: number } | null;
  /** Whether the cursor is in these lines: then they show as they are typed. */
  readonly touched: boolean;
}

function isIn(state: EditorState, place: DrawnBibliography["place"]): boolean {
  return place !== null && state.selection.ranges.some(({ from, to }) => from <= place.to && to >= place.from);
}

/** The first line from one on that is not empty, or the text's first or last. */
function nextWritten(doc: Text, number: number, step: 1 | -1): number {
  const last = step === 1 ? doc.lines : 1;
  while (number !== last && doc.line(number).text.trim() === "") number += step;
  return number;
}

const places = new LineSearch((line) => (PLACE_BEGINS.test(line) ? line : null));

/** The lines that say where the bibliography goes. */
function placeIn(doc: Text): DrawnBibliography["place"] {
  for (const { from, number } of places.linesOf(doc)) {
    const end = doc.line(nextWritten(doc, Math.min(number + 1, doc.lines), 1));
    if (PLACE_ENDS.test(end.text)) return { from, to: from + doc.sliceString(from, end.to).trimEnd().length };
  }
  return null;
}

/** As it is printed: what the front matter says, and none below a heading that the text ends with. */
function headingOf(doc: Text): string {
  if (HEADING.test(doc.line(nextWritten(doc, doc.lines, -1)).text)) return "";
  const head = headOf(doc);
  return SECTION_TITLE.exec(head)?.[1] ?? wordsOf(head).references;
}

function bibliographyOf(state: EditorState, rendered: boolean): DrawnBibliography {
  const { bibliography } = state.field(printed);
  if (!rendered || bibliography.length === 0) return { set: Decoration.none, rendered, place: null, touched: false };
  const place = placeIn(state.doc);
  const touched = isIn(state, place);
  const widget = new Bibliography(bibliography, place ? "" : headingOf(state.doc));
  const drawn = place && !touched ? Decoration.replace({ widget, block: true }).range(place.from, place.to) : Decoration.widget({ widget, block: true, side: 1 }).range(place?.to ?? state.doc.length);
  return { set: Decoration.set([drawn]), rendered, place, touched };
}

/** Blocks are no plugin's to draw: they change how high the text is. */
function bibliographyDrawn(isRendered: () => boolean): Extension {
  return StateField.define<DrawnBibliography>({
    create: (state) => bibliographyOf(state, isRendered()),
    update: (value, { state, startState, docChanged }) => {
      const isSame = state.field(printed) === startState.field(printed) && value.rendered === isRendered() && value.touched === isIn(state, value.place);
      return isSame && !docChanged ? value : bibliographyOf(state, isRendered());
    },
    provide: (field) => EditorView.decorations.from(field, ({ set }) => set),
  });
}

export function drawing(isRendered: () => boolean, around: CitingAround): Extension {
  return [citationsDrawn(isRendered, around), bibliographyDrawn(isRendered)];
}
