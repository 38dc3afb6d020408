/** Numbers of figures, tables, equations and listings, counted as publishing counts them. */
import type { EditorState, Text } from "@codemirror/state";
import { headOf } from "./citations";
import { type FoundLine, LineSearch } from "./line-search";
import { type PrintedWords, wordsOf } from "./printed-words";

/** What stands in a text for a label, or before a caption. */
export interface Labelled {
  readonly from: number;
  readonly to: number;
  /** What shows in its place; nothing for a label of a heading. */
  readonly shown: string;
}

export interface Numbering {
  /** What each label is referred to by: a number, or the words of a section. */
  readonly numbers: ReadonlyMap<string, string>;
  readonly labels: readonly Labelled[];
  readonly words: PrintedWords;
}

type Kind = "fig" | "tbl" | "eq" | "lst";

const FENCE = /^[ \t]*(`{3,}|~{3,})(.*)$/;
const LABEL = /#([^\s{}]+)/;
const ATTRIBUTES = /[ \t]*\{[^{}\n]*\}[ \t]*$/;
const ANY_ATTRIBUTES = /\{[^{}]*\}/;
const HEADING = /^#{1,6}[ \t]+(.*?)([ \t]*\{[#.-][^{}\n]*\})[ \t]*$/;
const PICTURE = /^[ \t]*((?:(?:[-*+]|\d+[.)]|>)[ \t]+)*)!\[(?:[^\]\\]|\\.)+\]\([^()\n]*(?:\([^()\n]*\)[^()\n]*)*\)(\{[^{}\n]*\})?[ \t]*$/;
const CAPTION = /^(?:[Tt]able)?:[ \t]+(?=\S)/;
const ROW = /\||^[ \t]*[-=+][-=+ ]{2,}$/;
const EQUATION = /\$[ \t]*\{#(eq:[^\s{}]+)\}(?=\s|$)/g;
/** What begins or ends code, is labelled or may be counted: the other lines say nothing. */
const COUNTED = /^[ \t]*(?:`{3}|~{3})|\{[#.-]|!\[|^(?:[Tt]able)?:[ \t]/;
const NARROW = "\u00a0";

function labelIn(attributes = ""): string {
  return LABEL.exec(attributes)?.[1] ?? "";
}

interface Marks {
  readonly text: string;
  readonly fence: RegExpExecArray | null;
  readonly heading: RegExpExecArray | null;
  readonly picture: RegExpExecArray | null;
  readonly caption: RegExpExecArray | null;
  /** Labels of equations. */
  readonly equations: readonly string[];
}

const search = new LineSearch<Marks>((text) => {
  if (!COUNTED.test(text)) return null;
  const equations = [...text.matchAll(EQUATION)].map(([, label = ""]) => label);
  return { text, fence: FENCE.exec(text), heading: HEADING.exec(text), picture: PICTURE.exec(text), caption: CAPTION.exec(text), equations };
});

/** A text without labels refers to nothing by number. */
const labelled = new LineSearch((line) => (line.includes("{#") ? true : null));

class Counting {
  readonly numbers = new Map<string, string>();
  readonly labels: Labelled[] = [];
  readonly words: PrintedWords;
  readonly #counts = new Map<Kind, number>();
  /** What opened the block of code around the line. */
  #fence = "";

  constructor(readonly doc: Text) {
    const head = headOf(doc);
    this.words = wordsOf(head);
    if (!labelled.has(doc)) return;
    for (const line of search.linesOf(doc)) {
      const { fence } = line.found;
      if (fence) this.#turn(fence[1] ?? "", fence[2] ?? "");
      else if (this.#fence === "" && line.from >= head.length) this.#read(line);
    }
  }

  /** A block of code begins, with its label if it has one, or ends. */
  #turn(mark: string, rest: string): void {
    if (this.#fence !== "") {
      if (mark.startsWith(this.#fence) && rest.trim() === "") this.#fence = "";
      return;
    }
    this.#fence = mark;
    const label = labelIn(ANY_ATTRIBUTES.exec(rest)?.[0]);
    if (label.startsWith("lst:")) this.#next("lst", label);
  }

  #next(kind: Kind, label: string): string {
    const number = String((this.#counts.get(kind) ?? 0) + 1);
    this.#counts.set(kind, Number(number));
    if (label !== "" && !this.numbers.has(label)) this.numbers.set(label, number);
    return `${this.words[kind]}${NARROW}${number}`;
  }

  #read({ found: { text, heading, picture, caption, equations }, number: at, from }: FoundLine<Marks>): void {
    const end = from + text.trimEnd().length;
    if (heading) this.#readHeading(heading[1] ?? "", heading[2] ?? "", end);
    else if (picture && this.#isAlone(at, picture[1] !== "")) this.#readPicture(picture[2] ?? "", end);
    else if (caption && this.#isOfTable(at)) this.#readCaption(caption[0].length, at, from);
    for (const label of equations) this.#next("eq", label);
  }

  #readHeading(title: string, attributes: string, end: number): void {
    const label = labelIn(attributes);
    if (label !== "" && !this.numbers.has(label)) this.numbers.set(label, `“${title.replaceAll(/[*_`]/g, "")}”`);
    this.labels.push({ from: end - attributes.length, to: end, shown: "" });
  }

  #readPicture(attributes: string, end: number): void {
    const shown = this.#next("fig", labelIn(attributes));
    if (attributes !== "") this.labels.push({ from: end - attributes.length, to: end, shown: ` ${shown}` });
  }

  /** A caption goes up to the next empty line; its label is its last word. */
  #readCaption(lead: number, at: number, from: number): void {
    let last = at;
    let end = from;
    while (this.#line(last + 1).trim() !== "") {
      end += this.#line(last).length + 1;
      last += 1;
    }
    const line = this.#line(last);
    const found = ATTRIBUTES.exec(line);
    const shown = this.#next("tbl", labelIn(found?.[0]));
    // Right below the last row it is one more row for the editor.
    if (this.#line(at - 1).trim() !== "") return;
    this.labels.push({ from, to: from + lead, shown: `${shown}. ` });
    if (found) this.labels.push({ from: end + found.index, to: end + line.length, shown: "" });
  }

  /** Whether a picture is all of its paragraph. */
  #isAlone(at: number, isItem: boolean): boolean {
    return (isItem || this.#line(at - 1).trim() === "") && this.#line(at + 1).trim() === "";
  }

  #isOfTable(at: number): boolean {
    return ROW.test(this.#beside(at, -1)) || (this.#line(at - 1).trim() === "" && ROW.test(this.#beside(at, 1)));
  }

  /** The line before or behind, over at most one that is empty. */
  #beside(at: number, step: -1 | 1): string {
    const next = this.#line(at + step);
    return next.trim() === "" ? this.#line(at + 2 * step) : next;
  }

  #line(at: number): string {
    return at >= 1 && at <= this.doc.lines ? this.doc.line(at).text : "";
  }
}

const known = new WeakMap<Text, Numbering>();

export function numberingOf({ doc }: EditorState): Numbering {
  const found = known.get(doc) ?? new Counting(doc);
  known.set(doc, found);
  return found;
}

const ITEM = /^(.*?)(-?)@(?:\{([^{}\s]+)\}|([\p{L}\p{N}_](?:[\p{L}\p{N}_]|[:.#$%&\-+?<>~/](?=[\p{L}\p{N}_]))*))(.*)$/su;

/** What a reference to figures and the like reads as: "Figure 2 and Table 1"; null if something has no such label. */
export function referenceText(reference: string, numbering: Numbering): string | null {
  const items = reference.startsWith("[") ? reference.slice(1, -1).split(";") : [reference];
  const shown = items.map((item) => itemText(item, numbering)).filter((text) => text !== null);
  if (shown.length < items.length) return null;
  const last = shown.pop() ?? "";
  return shown.length === 0 ? last : `${shown.join(", ")} ${numbering.words.joins} ${last}`;
}

function itemText(item: string, { numbers, words }: Numbering): string | null {
  const [, prefix = "", hides = "", braced, plain = "", suffix = ""] = ITEM.exec(item) ?? [];
  const label = braced ?? plain;
  const number = numbers.get(label);
  if (number === undefined) return null;
  const name = hides === "" ? `${words[label.split(":", 1)[0] as Kind | "sec"]}${NARROW}` : "";
  return `${prefix.trimStart()}${name}${number}${suffix.trimEnd()}`;
}
