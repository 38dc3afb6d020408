/**
 * Shows Markdown that may still be growing. Settled segments are rendered once; only the last one, the tail, is rendered
 * again as text comes. A link whose definition comes later is rendered again then, and nothing else is.
 */
import type { CodeParser } from "./colours";
import { Cutter, isUndecided, mayClose } from "./cutter";
import { drawFormulas } from "./formulas";
import { furnish, type PlacesAround } from "./furnish";
import { type Definitions, renderSegment } from "./grammar";
import { onPress } from "./presses";
import { answerElements } from "./sanitise";
import { swap } from "./swap";

export interface MarkdownOptions extends PlacesAround {
  /** Opens an address of the web or of mail in its own window. */
  openLink: (href: string) => void;
  /** Copies a text; whether that was possible. */
  copy: (text: string) => Promise<boolean>;
  /** The parser of a language by the name a code block gives it; null if there is none. Without it, code stays plain. */
  parserOf?: (language: string) => Promise<CodeParser | null>;
  /** Draws now or a little later, so that it is in nobody's way. Without it, the next frame draws. */
  inTurn?: (draw: () => void) => void;
}

interface Settled {
  source: string;
  elements: Element[];
}

/** Rendering takes at most one part in so many of the time, however long the tail is. */
const SHARE = 10;
/** Milliseconds from one showing to the next: quicker is not seen, and every one is painted. */
const PACE = 60;
/** However long a showing takes: with what passes before it, every piece is seen within 250 ms. */
const LONGEST_PACE = 180;

/** Elements in whose last child a text may end: blocks, and what stands for one. */
const HOLDERS = "p, ul, ol, li, blockquote, pre, pre > code, table, thead, tbody, tr, th, td, h1, h2, h3, h4, h5, h6, div";

export class MarkdownView {
  readonly #host: HTMLElement;
  readonly #options: MarkdownOptions;
  readonly #stopListening: () => void;
  readonly #pending = new Set<Promise<void>>();
  #whole = "";
  /** What came since the last flush. */
  #fresh = "";
  #line = "";
  #segment = "";
  #cutter = new Cutter();
  #definitions: Definitions = {};
  /** Settled segments with brackets in them: a later definition may make links of those. */
  #bracketed: Settled[] = [];
  #tail: Element[] = [];
  #openCode: { text: Text; shown: number } | null = null;
  #caret: Element | null = null;
  #isFinished = false;
  #isAsked = false;
  #rest: ReturnType<typeof setTimeout> | undefined;
  #notBefore = 0;

  constructor(host: HTMLElement, options: MarkdownOptions) {
    this.#host = host;
    this.#options = options;
    this.#stopListening = onPress(host, options);
  }

  /** Adds text at the end; shown soon. */
  append(text: string): void {
    if (this.#isFinished) throw new Error("The text is finished. Set it anew to go on.");
    this.#take(text);
    this.#showSoon();
  }

  /** Shows this text. If it only goes on where the text so far ended, nothing is rendered twice. */
  set(text: string): void {
    if (this.#goOnTo(text)) this.#showSoon();
  }

  /** Shows this text, to which nothing more comes: at once, and rendered only once. */
  setWhole(text: string): void {
    this.#goOnTo(text);
    this.finish();
  }

  /** Takes what is new in this text; false if nothing is. */
  #goOnTo(text: string): boolean {
    if (text === this.#whole) return false;
    if (this.#isFinished || !text.startsWith(this.#whole)) this.#clear();
    this.#take(text.slice(this.#whole.length));
    return true;
  }

  #take(text: string): void {
    this.#whole += text;
    this.#fresh += text;
  }

  /** Nothing more comes: renders what is left, at once. */
  finish(): void {
    if (this.#isFinished) return;
    this.#flush(true);
    this.#isFinished = true;
  }

  /** Resolves when the formulas and colours of what was rendered so far are in. */
  async drawn(): Promise<void> {
    while (this.#pending.size > 0) await Promise.all(this.#pending);
  }

  destroy(): void {
    this.#cancel();
    this.#stopListening();
  }

  readonly #draw = (): void => { if (this.#isAsked) this.#flush(false); };

  /** Shows what came when it is its turn, but leaves the page time for what a person does in it. */
  #showSoon(): void {
    if (this.#isAsked || this.#rest) return;
    const left = this.#notBefore - performance.now();
    if (left <= 0) this.#ask();
    else {
      this.#rest = setTimeout(() => {
        this.#rest = undefined;
        this.#ask();
      }, left);
    }
  }

  #ask(): void {
    this.#isAsked = true;
    if (this.#options.inTurn) this.#options.inTurn(this.#draw);
    else requestAnimationFrame(this.#draw);
  }

  #cancel(): void {
    clearTimeout(this.#rest);
    this.#isAsked = false;
    this.#rest = undefined;
  }

  #clear(): void {
    this.#host.replaceChildren();
    this.#whole = this.#fresh = this.#line = this.#segment = "";
    this.#cutter = new Cutter();
    this.#definitions = {};
    this.#bracketed = [];
    this.#tail = [];
    this.#openCode = this.#caret = null;
    this.#isFinished = false;
  }

  #flush(isLast: boolean): void {
    this.#cancel();
    const started = performance.now();
    this.#placeCaret(null);
    for (const line of this.#takeLines(isLast)) this.#takeLine(line);
    if (isLast) this.#settle();
    else {
      this.#renderTail();
      this.#placeCaret(lastText(this.#host));
    }
    const ended = performance.now();
    this.#notBefore = started + Math.min(LONGEST_PACE, Math.max(PACE, (SHARE + 1) * (ended - started)));
  }

  /** The lines that became complete. A carriage return at the end may be half of a line break. */
  #takeLines(isLast: boolean): string[] {
    const held = !isLast && this.#fresh.endsWith("\r") ? "\r" : "";
    const text = this.#fresh.slice(0, this.#fresh.length - held.length).replace(/\r\n?/g, "\n");
    this.#fresh = held;
    const end = text.lastIndexOf("\n");
    if (end < 0 && !isLast) {
      this.#line += text;
      return [];
    }
    const lines = (this.#line + text).split("\n");
    this.#line = isLast ? "" : (lines.pop() ?? "");
    if (isLast && lines.at(-1) === "") lines.pop();
    return lines;
  }

  #takeLine(line: string): void {
    const { starts, ends } = this.#cutter.take(line);
    if (starts && this.#segment !== "") this.#settle();
    this.#segment += `${line}\n`;
    if (ends) this.#settle();
  }

  /** Renders the segment for good, in the place of its tail. */
  #settle(): void {
    const source = this.#segment;
    this.#segment = "";
    this.#openCode = null;
    const { elements, definitions } = this.#render(source);
    const shown = swap(this.#host, this.#tail, elements);
    this.#tail = [];
    if (source.includes("[")) this.#bracketed.push({ source, elements: shown });
    this.#colour(shown);
    this.#define(definitions);
  }

  #render(source: string): { elements: Element[]; definitions: Definitions } {
    if (source.trim() === "") return { elements: [], definitions: this.#definitions };
    const { html, definitions } = renderSegment(source, this.#definitions);
    const elements = furnish(answerElements(html), this.#options);
    this.#await(drawFormulas(elements));
    return { elements, definitions };
  }

  /** Takes new definitions in, and renders again what waited for them. */
  #define(definitions: Definitions): void {
    const labels = Object.keys(definitions).filter((label) => !(label in this.#definitions));
    if (labels.length === 0) return;
    this.#definitions = definitions;
    for (const settled of this.#bracketed) {
      const source = settled.source.toLowerCase().replace(/\s+/g, " ");
      if (settled.elements.length === 0 || !labels.some((label) => source.includes(`[${label}]`))) continue;
      settled.elements = swap(this.#host, settled.elements, this.#render(settled.source).elements);
      this.#colour(settled.elements);
    }
  }

  #renderTail(): void {
    const isHeld = this.#cutter.isInCode ? mayClose(this.#line) : isUndecided(this.#line);
    if (!isHeld && this.#segment !== "" && this.#cutter.isApart(this.#line)) this.#settle();
    const source = this.#segment + (isHeld ? "" : this.#line);
    if (this.#openCode) {
      this.#openCode.text.appendData(source.slice(this.#openCode.shown));
      this.#openCode.shown = Math.max(this.#openCode.shown, source.length);
      return;
    }
    this.#tail = swap(this.#host, this.#tail, this.#render(source).elements);
    this.#noteOpenCode(source);
  }

  /** Code that is still open only grows: its text is added to, not rendered again. */
  #noteOpenCode(source: string): void {
    const code = this.#cutter.isInPlainCode ? this.#tail[0]?.querySelector("code") : null;
    if (!code) return;
    const text = document.createTextNode(source.slice(source.indexOf("\n") + 1));
    code.replaceChildren(text);
    this.#openCode = { text, shown: source.length };
  }

  #colour(elements: readonly Element[]): void {
    const { parserOf } = this.#options;
    if (!parserOf) return;
    for (const block of elements.flatMap((element) => [element, ...element.querySelectorAll(".code")])) {
      const language = block.getAttribute("data-language");
      const code = block.querySelector("code");
      if (language && code?.childElementCount === 0) this.#await(colourWith(parserOf, language, code));
    }
  }

  /** Remembers work that goes on. If it fails, the text is still there: plain, or as its source. */
  #await(work: Promise<void> | null): void {
    if (!work) return;
    const noted = work
      .catch((error: unknown) => {
        console.warn("A part of the page could not be loaded. Colours and formulas come back with a reload.", error);
      })
      .finally(() => this.#pending.delete(noted));
    this.#pending.add(noted);
  }

  #placeCaret(element: Element | null): void {
    this.#caret?.removeAttribute("data-caret");
    element?.setAttribute("data-caret", "");
    this.#caret = element;
  }
}

async function colourWith(parserOf: (language: string) => Promise<CodeParser | null>, language: string, code: Element): Promise<void> {
  const { colour, PLAIN_ABOVE } = await import("./colours");
  if (code.textContent.length > PLAIN_ABOVE) return;
  const parser = await parserOf(language);
  if (parser && code.isConnected) colour(code, parser);
}

/** The innermost element in which the text ends: there the caret stands. */
function lastText(host: Element): Element | null {
  let found = host.lastElementChild;
  for (let next = found; next?.matches(HOLDERS); next = next.lastElementChild) found = next;
  return found;
}
