/** Citing in Markdown: keys complete, hover shows the entry, unknown keys are marked, citations show as they will print. */
import { type Completion, type CompletionContext, type CompletionResult, startCompletion } from "@codemirror/autocomplete";
import type { Extension } from "@codemirror/state";
import { type EditorView, hoverTooltip, type Tooltip } from "@codemirror/view";
import { completing, completionSource } from "../completing";
import type { CitingAround, FoundPaper, LibraryRow } from "./around";
import { citationsIn, headOf } from "./citations";
import { crossReferences } from "./cross-references";
import { drawing } from "./drawing";
import { askAgain, asking } from "./printing";
import { quoting } from "./quotations";

export type { CheckedQuotation, CitingAround, FoundPaper, LibraryRow, PrintedCitations, Run } from "./around";
export { startCompletion };

const TYPED = /(?<![\p{L}\p{N}_@./\\])@\{?([\p{L}\p{N}_:.#$%&\-+?<>~/]*)$/u;
const MOST_OFFERED = 12;
const LEAST_TYPED = 4;
const MOST_SHOWN = 5;

export interface CitingOptions {
  path: string;
  around: CitingAround;
  isRendered: () => boolean;
}

function completingKeys(path: string, around: CitingAround) {
  return async (context: CompletionContext): Promise<CompletionResult | null> => {
    const typed = context.matchBefore(TYPED);
    if (!typed || context.pos < headOf(context.state.doc).length) return null;
    const words = typed.text.replace(/^@\{?/, "");
    const running = new AbortController();
    context.addEventListener("abort", () => { running.abort(); });
    try {
      const from = context.pos - words.length;
      const rows = await around.find(path, words, running.signal);
      if (rows.length > 0 || words.length < LEAST_TYPED) return { from, options: rows.slice(0, MOST_OFFERED).map(offer), filter: false };
      // Papers are found by words: "horsburgh2007" is a name and a year.
      const query = words.split(/(?<=\p{L})(?=\d)|[^\p{L}\d]+/u).join(" ");
      const papers = await around.papers(query, running.signal);
      return { from, options: papers.map((paper) => offerPaper(paper, around)), filter: false };
    } catch (error) {
      if (!running.signal.aborted) console.warn("The library could not be searched.", error);
      return null;
    }
  };
}

function offer(row: LibraryRow): Completion {
  return { label: row.key, detail: [row.who, row.year].filter(Boolean).join(", "), info: row.title, type: "text" };
}

/** A paper that is added to the library when it is chosen. */
function offerPaper({ title, who, year, doi }: FoundPaper, around: CitingAround): Completion {
  return {
    label: title,
    detail: [who, year, "not in the library: add"].filter(Boolean).join(", "),
    type: "text",
    apply: (view, _, from, to) => {
      void around.addPaper(doi).then((key) => {
        const isThere = view.state.sliceDoc(from - 1, from) === "@" || view.state.sliceDoc(from - 1, from) === "{";
        if (key !== null && isThere) view.dispatch({ changes: { from, to, insert: key }, selection: { anchor: from + key.length } });
      });
    },
  };
}

/** The entry under the pointer, with what can be done with it. */
export function entriesAt(path: string, around: CitingAround) {
  return async (view: EditorView, at: number): Promise<Tooltip | null> => {
    const citation = citationsIn(view.state).find(({ from, to }) => from <= at && at <= to);
    if (!citation) return null;
    const pointed = citation.keys.find(({ from, to }) => from <= at && at <= to);
    // What is printed shows no keys: the pointer is on all of its works.
    const keys = pointed ? [pointed.key] : [...new Set(citation.keys.map(({ key }) => key))].slice(0, MOST_SHOWN);
    const { signal } = new AbortController();
    const found = await Promise.all(keys.map(async (key) => (await around.find(path, key, signal)).find((row) => row.key === key)));
    const rows = found.filter((row) => row !== undefined);
    if (rows.length === 0) return null;
    return { pos: citation.from, end: citation.to, above: false, create: () => ({ dom: cards(rows, around) }) };
  };
}

function cards(rows: readonly LibraryRow[], around: CitingAround): HTMLElement {
  const dom = document.createElement("div");
  dom.append(...rows.map((row) => card(row, around)));
  return dom;
}

function card(row: LibraryRow, around: CitingAround): HTMLElement {
  const dom = document.createElement("div");
  dom.className = "cm-cite-card";
  line(dom, "cm-cite-title", row.title);
  line(dom, "cm-cite-facts", [row.who, row.container, row.year].filter(Boolean).map((fact) => fact.replace(/\.$/, "")).join(". "));
  const foot = line(dom, "cm-cite-foot", "");
  action(foot, "Open", () => { around.open(row.key); });
  const { pdf } = row;
  if (pdf !== null) action(foot, "PDF", () => { around.openPdf(pdf); });
  const key = document.createElement("code");
  key.textContent = row.key;
  foot.append(key);
  return dom;
}

function line(inside: HTMLElement, name: string, text: string): HTMLElement {
  const made = document.createElement("div");
  made.className = name;
  made.textContent = text;
  inside.append(made);
  return made;
}

function action(foot: HTMLElement, name: string, run: () => void): void {
  const button = document.createElement("button");
  button.className = "button button-small button-quiet";
  button.type = "button";
  button.textContent = name;
  button.addEventListener("click", run);
  foot.append(button);
}

/** The library has changed: what is shown of it is asked for again. */
export function libraryChanged(view: EditorView): void {
  view.dispatch({ effects: askAgain.of(null) });
}

export function citing({ path, around, isRendered }: CitingOptions): Extension {
  return [
    asking(path, around),
    drawing(isRendered, around),
    crossReferences(isRendered),
    quoting(path, around),
    hoverTooltip(entriesAt(path, around)),
    completionSource.of(completingKeys(path, around)),
    completing,
  ];
}
