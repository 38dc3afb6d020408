/** The one place where HTML becomes elements. Only what Markdown needs passes; no address but web and mail. */
import createSanitiser from "dompurify";

const TAGS = ["p", "h1", "h2", "h3", "h4", "h5", "h6", "ul", "ol", "li", "blockquote", "hr", "br", "pre", "code", "em", "strong", "del", "a"];
const TABLE_TAGS = ["table", "thead", "tbody", "tr", "th", "td"];
const OUR_TAGS = ["span", "div", "sub", "sup", "kbd", "mark", "u"];
const OUR_MARKS = ["data-language", "data-math", "data-path", "data-picture", "data-task", "data-align", "data-width"];

const ANSWER = {
  ALLOWED_TAGS: [...TAGS, ...TABLE_TAGS, ...OUR_TAGS, "#text"],
  ALLOWED_ATTR: ["href", "title", "start", ...OUR_MARKS],
  ALLOWED_URI_REGEXP: /^(?:https?:\/\/|mailto:)/i,
  // Only href is an address; the rest need not look like one.
  ADD_URI_SAFE_ATTR: ["title", "start", ...OUR_MARKS],
  ALLOW_DATA_ATTR: false,
  ALLOW_ARIA_ATTR: false,
  RETURN_DOM_FRAGMENT: true as const,
};

const FORMULA = {
  USE_PROFILES: { mathMl: true },
  FORBID_ATTR: ["style", "href", "xlink:href", "class", "id"],
  // A formula carries its source as an annotation, which would be shown as text.
  FORBID_CONTENTS: ["annotation", "annotation-xml"],
  RETURN_DOM_FRAGMENT: true as const,
};

/** Outputs of notebooks: tables and pictures that they carry inside. Nothing is fetched, no look of their own, no forms. */
const OUTPUT = {
  ALLOWED_TAGS: [...TAGS, ...TABLE_TAGS, ...OUR_TAGS, "tfoot", "caption", "colgroup", "col", "b", "i", "s", "small", "dl", "dt", "dd", "details", "summary", "figure", "figcaption", "img", "progress", "#text"],
  ALLOWED_ATTR: ["href", "title", "start", "src", "alt", "width", "height", "colspan", "rowspan", "value", "max", "open"],
  ALLOWED_URI_REGEXP: /^(?:https?:\/\/|mailto:|data:image\/(?:png|jpeg|gif|webp);)/i,
  ADD_URI_SAFE_ATTR: ["title", "start", "alt", "width", "height", "colspan", "rowspan", "value", "max", "open"],
  ALLOW_DATA_ATTR: false,
  ALLOW_ARIA_ATTR: false,
  RETURN_DOM_FRAGMENT: true as const,
};

// One each: an instance that alternates between two settings reads them anew every time.
const answers = createSanitiser(window);
const formulas = createSanitiser(window);
const outputs = createSanitiser(window);
outputs.addHook("afterSanitizeAttributes", (element) => {
  // A picture from elsewhere would tell its server that somebody looks.
  if (!element.getAttribute("src")?.startsWith("data:")) element.removeAttribute("src");
  if (element.hasAttribute("href")) {
    element.setAttribute("target", "_blank");
    element.setAttribute("rel", "noopener noreferrer");
  }
});

/** The elements of an answer's HTML. */
export function answerElements(html: string): Element[] {
  return [...answers.sanitize(html, ANSWER).children];
}

/** The elements of a notebook's HTML output. */
export function outputElements(html: string): DocumentFragment {
  return outputs.sanitize(html, OUTPUT);
}

/** The elements of a formula in MathML. */
export function formulaElements(mathml: string): DocumentFragment {
  return formulas.sanitize(mathml, FORMULA);
}

/** HTML from a clipboard, to be read: a document of its own, in which nothing runs and nothing is loaded. */
export function pastedDocument(html: string): Document {
  // What would run on an event runs here neither, but the browser would complain of each.
  const silent = html.replace(/<[^<>]+>/g, (tag) => tag.replace(/([\s"'/])on\w+\s*=/gi, "$1data-off="));
  return new DOMParser().parseFromString(silent, "text/html");
}
