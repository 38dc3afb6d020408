/** The styles of a document as a style sheet for its page. */
import type { PageStyle } from "./model";
import { inkOf } from "./schema";

const USUAL_SIZE = 11;
const HEX = /^[0-9a-f]{6}$/;

/** The styles that a page shows. */
export class PageStyles {
  readonly #scope: string;
  #sheet: CSSStyleSheet | null = null;
  #told = "";

  /** `scope` is the selector of the element that holds the page. */
  constructor(scope: string) {
    this.#scope = scope;
  }

  /** A new sheet has the browser look at every element anew: only other styles are worth that. */
  show(styles: readonly PageStyle[]): void {
    const told = JSON.stringify(styles);
    if (told === this.#told) return;
    this.remove();
    this.#told = told;
    this.#sheet = styleSheetOf(styles, this.#scope);
    document.adoptedStyleSheets = [...document.adoptedStyleSheets, this.#sheet];
  }

  remove(): void {
    document.adoptedStyleSheets = document.adoptedStyleSheets.filter((sheet) => sheet !== this.#sheet);
  }
}

function styleSheetOf(styles: readonly PageStyle[], scope: string): CSSStyleSheet {
  const sheet = new CSSStyleSheet();
  const usual = styles.find((style) => style.isDefault && style.kind === "paragraph")?.size;
  const base = usual === undefined || usual === 0 ? USUAL_SIZE : usual;
  const tight = `${scope} .word-text td > :is(p, h1, h2, h3, h4, h5, h6) { margin-block: 0 }`;
  sheet.replaceSync([...styles.map((style) => rule(style, scope, base)), tight].join("\n"));
  return sheet;
}

/** The style of each level of headings. */
export function headingsOf({ styles }: { styles: readonly PageStyle[] }): ReadonlyMap<number, string> {
  return new Map(styles.flatMap(({ id, kind, level = 0 }) => (kind === "paragraph" && level > 0 ? [[level, id] as const] : [])).reverse());
}

function rule(style: PageStyle, scope: string, base: number): string {
  const attribute = style.kind === "paragraph" ? "data-style" : "data-run-style";
  const isDefault = style.isDefault === true && style.kind === "paragraph";
  const places = [`${scope} [${attribute}="${CSS.escape(style.id)}"]`, ...(isDefault ? [`${scope} :is(p, h1, h2, h3, h4, h5, h6):not([data-style])`] : [])];
  return `${places.join(", ")} { ${declarations(style, base).join("; ")} }`;
}

function declarations(style: PageStyle, base: number): string[] {
  const found = style.kind === "paragraph" ? paragraphLook(style) : [];
  if (style.bold) found.push("font-weight: 600");
  if (style.italic) found.push("font-style: italic");
  const lines = [style.underline ? "underline" : "", style.strike ? "line-through" : ""].filter(Boolean);
  if (lines.length > 0) found.push(`text-decoration: ${lines.join(" ")}`);
  if (style.colour && HEX.test(style.colour)) found.push(`color: ${inkOf(style.colour)}`);
  if (style.size) found.push(`font-size: ${(style.size / base).toFixed(3)}em`);
  return found;
}

function paragraphLook(style: PageStyle): string[] {
  const found = ["font-weight: 400", `margin-block: ${((style.before ?? 0) / USUAL_SIZE).toFixed(2)}rem ${((style.after ?? 0) / USUAL_SIZE).toFixed(2)}rem`];
  if (style.align) found.push(`text-align: ${style.align}`);
  if (style.indent) found.push(`padding-inline-start: ${String(style.indent)}pt`);
  return found;
}
