/** The parts of an edit that are no text: the lines that went, and the foot with who, when, and the two ways out. */
import { type EditorView, GutterMarker, lineNumberWidgetMarker, WidgetType } from "@codemirror/view";
import { decide } from "./decide";
import type { Edit, Old } from "./edits";
import { type Around, reviewing, type Verdict } from "./options";
import { editsIn } from "./field";

/** What a foot says. */
export interface Facts {
  readonly edit: Edit;
  /** Its place among the edits of the text, from 0. */
  readonly index: number;
  readonly count: number;
  readonly words: string;
  readonly face: Face;
}

/** A file of code, prose, lines of prose that are set in the face of code, or rows of a table. */
export type Face = "code" | "mono" | "prose" | "table";

const isMac = () => navigator.platform.startsWith("Mac");

function element(tag: string, name: string, text = ""): HTMLElement {
  const made = document.createElement(tag);
  made.className = name;
  made.textContent = text;
  return made;
}

/** The lines as they were, with the words that went struck out: as they read, or their source. */
function oldLines(view: EditorView, old: Old, face: Face, around: Around | null): HTMLElement {
  const reading = around && view.state.facet(reviewing)?.reading();
  if (!reading) return oldSource(old, face);
  const place = element("div", "hunk-old hunk-read");
  place.append(element("span", "visually-hidden", "Removed: "), ...reading.draw(view, old, around, false).lines());
  return place;
}

function oldSource({ text, removed }: Old, face: Face): HTMLElement {
  const place = element("div", `hunk-old hunk-${face}`);
  const heading = face === "prose" ? /^(#{1,4})\s[^\n]*$/.exec(text)?.[1] : undefined;
  if (heading) place.dataset["heading"] = String(heading.length);
  place.append(element("span", "visually-hidden", "Removed: "));
  let done = 0;
  for (const { from, to } of removed) {
    place.append(text.slice(done, from), element("del", "", text.slice(from, to)));
    done = to;
  }
  place.append(text.slice(done));
  // A line that ends in a line break, or is empty, is as high as others.
  if (text === "" || text.endsWith("\n")) place.append(document.createElement("br"));
  return place;
}

export function isSameOld(one: Old | null, other: Old | null): boolean {
  if (!one || !other) return one === other;
  return one.text === other.text && one.removed.length === other.removed.length && one.removed.every(({ from, to }, at) => from === other.removed[at]?.from && to === other.removed[at].to);
}

export function isSameAround(one: Around | null, other: Around | null): boolean {
  return one?.before === other?.before && one?.after === other?.after;
}

/** What is drawn late, as formulas and pictures are, is measured then. */
const sizes = new WeakMap<HTMLElement, ResizeObserver>();

function measured(place: HTMLElement, view: EditorView): HTMLElement {
  const watch = new ResizeObserver(() => { view.requestMeasure(); });
  watch.observe(place);
  sizes.set(place, watch);
  return place;
}

function unmeasured(place: HTMLElement): void {
  sizes.get(place)?.disconnect();
  sizes.delete(place);
}

function nameOf({ index, count }: Facts): string {
  return `Edit ${String(index + 1)} of ${String(count)} to review`;
}

function action(view: EditorView, verdict: Verdict): HTMLElement {
  const button = element("button", verdict === "accept" ? "button button-quiet button-small hunk-accept" : "button button-quiet button-small");
  button.setAttribute("type", "button");
  button.setAttribute("aria-keyshortcuts", `${isMac() ? "Meta" : "Control"}+${verdict === "accept" ? "" : "Alt+"}Enter`);
  const held = isMac() ? ["⌘", "⌥"] : ["Ctrl ", "Alt "];
  const key = `${held.slice(0, verdict === "accept" ? 1 : 2).join("")}↵`;
  button.append(verdict === "accept" ? "Accept" : "Reject", element("span", "hunk-key", key));
  button.querySelector(".hunk-key")?.setAttribute("aria-hidden", "true");
  // The pointer leaves the cursor in the text.
  button.addEventListener("mousedown", (event) => { event.preventDefault(); });
  button.addEventListener("click", () => {
    const hunks = button.closest<HTMLElement>("[data-edit]")?.dataset["edit"];
    const edit = editsIn(view.state).find((one) => one.hunks.join(" ") === hunks);
    const hadFocus = document.activeElement === button;
    // The button goes with its edit: whoever was on it goes on in the text.
    if (edit) decide(view, edit, verdict).then(() => { if (hadFocus) view.focus(); }).catch(console.error);
  });
  return button;
}

function foot(facts: Facts, view: EditorView): HTMLElement {
  const place = element("div", `hunk-foot hunk-foot-${facts.face}`);
  // Inside a table only rows and a caption have a place.
  if (facts.face === "table") place.setAttribute("role", "caption");
  const row = place.appendChild(element("div", "hunk-foot-row"));
  const actions = element("span", "hunk-actions");
  actions.append(action(view, "reject"), action(view, "accept"));
  row.append(element("span", "hunk-by truncate"), actions);
  fillFoot(place, facts);
  return place;
}

/** Says what is true now in a foot that is there: whoever is on one of its buttons stays there. */
function fillFoot(place: HTMLElement, facts: Facts): void {
  const row = place.querySelector<HTMLElement>(".hunk-foot-row");
  const by = place.querySelector<HTMLElement>(".hunk-by");
  if (!row || !by) return;
  row.dataset["edit"] = facts.edit.hunks.join(" ");
  row.setAttribute("role", "group");
  row.setAttribute("aria-label", nameOf(facts));
  by.textContent = facts.words;
}

function isSameFoot(one: Facts, other: Facts): boolean {
  return one.index === other.index && one.count === other.count && one.words === other.words && one.face === other.face && one.edit.hunks.join() === other.edit.hunks.join();
}

export class Removed extends WidgetType {
  constructor(
    readonly old: Old,
    readonly face: Face,
    readonly around: Around | null,
  ) {
    super();
  }
  override eq(other: Removed): boolean {
    return other.face === this.face && isSameOld(other.old, this.old) && isSameAround(other.around, this.around);
  }
  override toDOM(view: EditorView): HTMLElement {
    const place = element("div", `hunk-above hunk-above-${this.face}`);
    place.append(oldLines(view, this.old, this.face, this.around));
    return measured(place, view);
  }
  override updateDOM(place: HTMLElement, view: EditorView): boolean {
    if (!place.classList.contains(`hunk-above-${this.face}`)) return false;
    place.replaceChildren(oldLines(view, this.old, this.face, this.around));
    return true;
  }
  override destroy(place: HTMLElement): void {
    unmeasured(place);
  }
  override ignoreEvent(): boolean {
    return true;
  }
}

export class Foot extends WidgetType {
  constructor(readonly facts: Facts) {
    super();
  }
  override eq(other: Foot): boolean {
    return isSameFoot(this.facts, other.facts);
  }
  override toDOM(view: EditorView): HTMLElement {
    return foot(this.facts, view);
  }
  override updateDOM(place: HTMLElement): boolean {
    if (!place.classList.contains(`hunk-foot-${this.facts.face}`)) return false;
    fillFoot(place, this.facts);
    return true;
  }
  override ignoreEvent(): boolean {
    return true;
  }
}

/** Lines that only went: their words and their foot in one. */
export class Gone extends WidgetType {
  constructor(
    readonly facts: Facts,
    readonly around: Around | null,
  ) {
    super();
  }
  override eq(other: Gone): boolean {
    return isSameFoot(this.facts, other.facts) && isSameOld(this.facts.edit.parts[0].old, other.facts.edit.parts[0].old) && isSameAround(other.around, this.around);
  }
  override toDOM(view: EditorView): HTMLElement {
    const place = element("div", `hunk-above hunk-above-${this.facts.face}`);
    const { old } = this.facts.edit.parts[0];
    if (old) place.append(oldLines(view, old, this.facts.face, this.around));
    place.append(foot(this.facts, view));
    return measured(place, view);
  }
  override destroy(place: HTMLElement): void {
    unmeasured(place);
  }
  override ignoreEvent(): boolean {
    return true;
  }
}

/** The − beside lines that went, one for each, where there are line numbers. */
class Minus extends GutterMarker {
  override elementClass = "cm-hunk-minus";
  constructor(readonly count: number) {
    super();
  }
  override eq(other: Minus): boolean {
    return other.count === this.count;
  }
  override toDOM(): Node {
    return element("div", "hunk-minus", Array.from({ length: this.count }, () => "−").join("\n"));
  }
}

export const minusSigns = lineNumberWidgetMarker.of((_view, widget) => {
  const old = widget instanceof Removed ? widget.old : widget instanceof Gone ? widget.facts.edit.parts[0].old : null;
  return old ? new Minus(old.text.split("\n").length) : null;
});
