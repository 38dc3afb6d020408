/** The door of Markdown: text of a model in, safe elements out, also while the text still grows. */
export { MarkdownView, type MarkdownOptions } from "./renderer";
export type { CodeParser } from "./colours";
export { markdownOf } from "./from-html";
export { drawFormulas } from "./formulas";
export { outputElements } from "./sanitise";
export { targetOf } from "./targets";
