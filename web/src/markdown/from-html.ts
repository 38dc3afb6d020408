/** HTML from a clipboard as Markdown. Only words come out of it: what is not known is its text, what could run is left out. */
import { pastedDocument } from "./sanitise";

const NOTHING = new Set(["SCRIPT", "STYLE", "TEMPLATE", "HEAD", "TITLE", "META", "LINK", "NOSCRIPT", "IFRAME", "OBJECT", "EMBED", "SVG", "svg", "CANVAS", "VIDEO", "AUDIO", "INPUT", "BUTTON", "SELECT", "TEXTAREA"]);
const BLOCKS = new Set(["P", "DIV", "SECTION", "ARTICLE", "HEADER", "FOOTER", "MAIN", "ASIDE", "NAV", "FIGURE", "FIGCAPTION", "ADDRESS", "DETAILS", "SUMMARY", "DL", "DT", "DD", "FORM", "FIELDSET", "H1", "H2", "H3", "H4", "H5", "H6", "UL", "OL", "LI", "BLOCKQUOTE", "PRE", "TABLE", "HR"]);
const MARKS: Record<string, string> = { STRONG: "**", B: "**", EM: "*", I: "*", DEL: "~~", S: "~~", STRIKE: "~~", MARK: "==" };
const CODES = new Set(["CODE", "KBD", "TT", "SAMP"]);
const MOST_DEEP = 200;
const LONGEST = 4_000_000;

/** The Markdown of HTML; null where it says no more than its plain text does. */
export function markdownOf(html: string): string | null {
  if (html.length > LONGEST) return null;
  const { body } = pastedDocument(html);
  const hasForm = body.querySelector("a[href], strong, b, em, i, del, s, mark, code, pre, h1, h2, h3, h4, h5, h6, ul, ol, blockquote, table, hr, img") !== null || [...body.querySelectorAll("span[style]")].some((span) => stylesOf(span).length > 0);
  if (!hasForm) return null;
  const text = blocksOf(body, 0).join("\n\n").replace(/[ \t]+$/gm, "").replace(/\n{3,}/g, "\n\n").trim();
  return text === "" ? null : text;
}

/** What a block holds: blocks, and between them the words that stand in none. */
function blocksOf(parent: Element, depth: number): string[] {
  const found: string[] = [];
  let words = "";
  const end = () => {
    const text = words.trim();
    if (text !== "") found.push(atLineStart(text));
    words = "";
  };
  for (const node of parent.childNodes) {
    if (isElement(node) && holdsBlocks(node)) {
      end();
      found.push(...blockOf(node, depth + 1));
    } else words += wordsOf(node, depth + 1);
  }
  end();
  return found;
}

function isElement(node: Node): node is Element {
  return node.nodeType === Node.ELEMENT_NODE;
}

/** Google's documents wrap all they copy into one bold element. */
function holdsBlocks(element: Element): boolean {
  return BLOCKS.has(element.tagName) || (!NOTHING.has(element.tagName) && element.querySelector("p, div, ul, ol, table, pre, blockquote, h1, h2, h3, h4, h5, h6") !== null);
}

function blockOf(element: Element, depth: number): string[] {
  const { tagName } = element;
  if (depth > MOST_DEEP) return [escaped(element.textContent)];
  if (tagName === "HR") return ["---"];
  if (tagName === "PRE") return [fenced(element)];
  if (tagName === "UL" || tagName === "OL") return [listOf(element, depth)];
  if (tagName === "TABLE") return [tableOf(element, depth)];
  if (tagName === "BLOCKQUOTE") return [prefixed(blocksOf(element, depth).join("\n\n"), "> ", "> ")];
  const level = /^H([1-6])$/.exec(tagName)?.[1];
  if (level === undefined) return blocksOf(element, depth);
  const title = inlineOf(element, depth).replace(/\s*\n\s*/g, " ").trim();
  return title === "" ? [] : [`${"#".repeat(Number(level))} ${title}`];
}

function listOf(list: Element, depth: number): string {
  const first = Number(list.getAttribute("start") ?? "1");
  const rows: string[] = [];
  let number = Number.isInteger(first) ? first : 1;
  let inside = "  ";
  for (const item of list.children) {
    // Some programs put a list that is deeper beside its item, not into it.
    if (item.tagName === "UL" || item.tagName === "OL") rows.push(prefixed(listOf(item, depth + 1), inside, inside));
    if (item.tagName !== "LI") continue;
    const box = item.querySelector(":scope > input[type=checkbox], :scope > p > input[type=checkbox]");
    const task = box ? `[${box.hasAttribute("checked") ? "x" : " "}] ` : "";
    const sign = list.tagName === "OL" ? `${String(number)}. ` : "- ";
    const isLoose = item.querySelectorAll(":scope > p").length > 1;
    inside = " ".repeat(sign.length);
    rows.push(prefixed(task + blocksOf(item, depth + 1).join(isLoose ? "\n\n" : "\n"), sign, inside));
    number += 1;
  }
  return rows.join("\n");
}

function tableOf(table: Element, depth: number): string {
  const rows = [...table.querySelectorAll("tr")].filter((row) => row.closest("table") === table).map((row) => [...row.children].map((cell) => inlineOf(cell, depth).replace(/\s*\n\s*/g, " ").replace(/\|/g, "\\|").trim()));
  const width = Math.max(0, ...rows.map((row) => row.length));
  const [head, ...rest] = rows;
  if (!head) return "";
  // What has one column was a layout, not a table.
  if (width < 2) return rows.flat().filter((cell) => cell !== "").join("\n\n");
  const line = (cells: readonly string[]) => `| ${Array.from({ length: width }, (_, column) => cells[column] ?? "").join(" | ")} |`;
  return [line(head), line(Array.from({ length: width }, () => "---")), ...rest.map(line)].join("\n");
}

function fenced(element: Element): string {
  for (const end of element.querySelectorAll("br")) end.replaceWith("\n");
  const text = element.textContent.replace(/\r\n?/g, "\n").replace(/\n+$/, "");
  const language = /(?:^|\s)(?:language|lang|highlight-source)-([\w+#.-]+)/.exec(`${element.className} ${element.querySelector("code")?.className ?? ""}`)?.[1] ?? "";
  const longest = Math.max(2, ...[...text.matchAll(/`{3,}/g)].map(([run]) => run.length));
  const fence = "`".repeat(longest + 1);
  return `${fence}${language}\n${text}\n${fence}`;
}

function inlineOf(element: Element, depth: number): string {
  return [...element.childNodes].map((node) => wordsOf(node, depth + 1)).join("");
}

function wordsOf(node: Node, depth: number): string {
  if (node.nodeType === Node.TEXT_NODE) return escaped((node.textContent ?? "").replace(/[\s\u00a0]+/g, " "));
  return isElement(node) && !NOTHING.has(node.tagName) && depth <= MOST_DEEP ? elementWords(node, depth) : "";
}

function elementWords(node: Element, depth: number): string {
  const { tagName } = node;
  if (tagName === "BR") return "\n";
  if (tagName === "IMG") return pictureOf(node);
  if (CODES.has(tagName)) return codeOf(node.textContent);
  const words = inlineOf(node, depth);
  if (tagName === "A") return linkOf(node, words);
  const mark = MARKS[tagName];
  if (tagName === "SPAN") return stylesOf(node).reduce(around, words);
  return mark === undefined || isPlain(node) ? words : around(words, mark);
}

/** Google's documents say by styles alone what is bold; in a heading, and in what is bold already, that says nothing. */
function stylesOf(span: Element): string[] {
  const style = span.getAttribute("style") ?? "";
  const isNew = (pattern: RegExp, said: string) => pattern.test(style) && span.closest(said) === null;
  return [
    ...(isNew(/text-decoration[^;]*:[^;]*line-through/, "del, s, strike") ? ["~~"] : []),
    ...(isNew(/font-style:\s*italic/, "em, i:not([style])") ? ["*"] : []),
    ...(isNew(/font-weight:\s*(?:bold|[6-9]00)\b/, "h1, h2, h3, h4, h5, h6, th, strong, b:not([style])") ? ["**"] : []),
  ];
}

/** Programs write `<b style="font-weight: normal">` around what is not bold. */
function isPlain(element: Element): boolean {
  return /font-weight:\s*(?:normal|[1-4]00)\b|font-style:\s*normal/.test(element.getAttribute("style") ?? "") && !/^(?:STRONG|EM)$/.test(element.tagName);
}

/** Marks stand at words, never at blanks. */
function around(words: string, mark: string): string {
  const inner = words.trim();
  if (inner === "" || inner.includes("\n\n")) return words;
  const start = words.length - words.trimStart().length;
  return words.slice(0, start) + mark + inner + mark + words.slice(start + inner.length);
}

function codeOf(text: string): string {
  const plain = text.replace(/\s+/g, " ").trim();
  if (plain === "") return "";
  const longest = Math.max(0, ...[...plain.matchAll(/`+/g)].map(([run]) => run.length));
  const sign = "`".repeat(longest + 1);
  return longest > 0 ? `${sign} ${plain} ${sign}` : sign + plain + sign;
}

/** Only addresses of the web and of mail; anything else is its words. */
function addressOf(raw: string | null): string | null {
  const url = URL.parse((raw ?? "").trim());
  if (!url || !/^(?:https?|mailto):$/.test(url.protocol)) return null;
  return url.href.replace(/[()<>\s]/g, (sign) => `%${(sign.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(2, "0")}`);
}

function linkOf(link: Element, words: string): string {
  const address = addressOf(link.getAttribute("href"));
  const inner = words.replace(/\s*\n\s*/g, " ").trim();
  if (address === null || inner === "") return words;
  if (inner.replace(/\\/g, "") === address.replace(/\/$/, "") || inner.replace(/\\/g, "") === address) return `<${address}>`;
  return words.replace(words.trim(), () => `[${inner}](${address})`);
}

function pictureOf(picture: Element): string {
  const address = addressOf(picture.getAttribute("src"));
  const alt = escaped((picture.getAttribute("alt") ?? "").replace(/\s+/g, " ").trim());
  return address === null ? alt : `![${alt}](${address})`;
}

function prefixed(text: string, first: string, rest: string): string {
  return text.split("\n").map((line, index) => (index === 0 ? first + line : line === "" ? rest.trimEnd() : rest + line)).join("\n");
}

/** Words whose signs would mean something in Markdown. */
function escaped(text: string): string {
  return text.replace(/[\\`*[\]<]|~~|==|(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])|\$(?=\S)/gu, (sign) => `\\${sign}`).replace(/&(?=#?\w+;)/g, "\\&");
}

/** A line that would begin a heading, a list, a quotation or a rule. */
function atLineStart(text: string): string {
  return text.replace(/^[ \t]*/gm, "").replace(/^(#{1,6}(?=\s|$)|>|[-+](?=\s|$)|(?:-{3,}|={3,}|\+{3,})$)/gm, "\\$1").replace(/^(\d{1,9})([.)])(?=\s|$)/gm, "$1\\$2");
}
