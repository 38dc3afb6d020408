/** Draws formulas as MathML. KaTeX is a chunk of its own, loaded with the first formula. */
import type katexModule from "katex";
import { formulaElements } from "./sanitise";

type Katex = typeof katexModule;

/** Hostile sources grow without end; a formula a person reads stays far below these. */
const MAX_CHARACTERS = 5000;
const MAX_KEPT = 500;

let katex: Katex | null = null;
const drawn = new Map<string, DocumentFragment | null>();

/** Draws the formulas in these elements: at once if KaTeX is here, else when it has come. */
export function drawFormulas(elements: readonly Element[]): Promise<void> | null {
  const places = elements.flatMap((element) => [...(element.matches("[data-math]") ? [element] : []), ...element.querySelectorAll("[data-math]")]);
  if (places.length === 0) return null;
  if (katex) {
    drawAll(places, katex);
    return null;
  }
  return load().then((loaded) => {
    drawAll(places, loaded);
  });
}

async function load(): Promise<Katex> {
  katex = (await import("katex")).default;
  return katex;
}

function drawAll(places: readonly Element[], loaded: Katex): void {
  for (const place of places) {
    const kind = place.getAttribute("data-math") ?? "";
    const source = place.textContent;
    const formula = formulaOf(source, kind === "display", loaded);
    if (!formula || place.hasAttribute("data-drawn")) continue;
    place.setAttribute("data-drawn", "");
    place.replaceChildren(formula);
    place.querySelector("math")?.setAttribute("alttext", source);
  }
}

/** A formula, drawn once; null if its source is none, which is then shown as it is. */
function formulaOf(source: string, display: boolean, loaded: Katex): DocumentFragment | null {
  const key = `${String(display)} ${source}`;
  let formula = drawn.get(key);
  if (formula === undefined) {
    if (drawn.size >= MAX_KEPT) drawn.clear();
    formula = source.length > MAX_CHARACTERS ? null : draw(source, display, loaded);
    drawn.set(key, formula);
  }
  return formula ? (formula.cloneNode(true) as DocumentFragment) : null;
}

function draw(source: string, display: boolean, loaded: Katex): DocumentFragment | null {
  try {
    const options = { output: "mathml", displayMode: display, throwOnError: true, strict: "ignore", trust: false, maxExpand: 1000, maxSize: 20 } as const;
    return formulaElements(loaded.renderToString(source, options));
  } catch (error) {
    // What is no TeX, or nested beyond the stack, stays on the page as its source.
    if (error instanceof loaded.ParseError || error instanceof RangeError) return null;
    throw error;
  }
}
