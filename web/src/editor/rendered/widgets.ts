/** What stands in the text instead of its source: bullets, boxes to tick, formulas, pictures, labels. */
import { isolateHistory } from "@codemirror/commands";
import { type EditorView, WidgetType } from "@codemirror/view";
import { renderedOptions } from "./options";
import { redraw } from "./redraw";

export function element(tag: string, name: string, text = ""): HTMLElement {
  const made = document.createElement(tag);
  made.className = name;
  made.textContent = text;
  return made;
}

/** A word or sign of ours. */
export class Label extends WidgetType {
  constructor(
    readonly name: string,
    readonly text: string,
  ) {
    super();
  }
  override eq(other: Label): boolean {
    return other.name === this.name && other.text === this.text;
  }
  override toDOM(): HTMLElement {
    return element("span", this.name, this.text);
  }
  override ignoreEvent(): boolean {
    return false;
  }
}

const MARK_AND_BOX = /^(?:[-+*]|\d{1,9}[.)])[ \t]+\[([ xX])\]/;

/** The box of a task. A tick edits the text, as one step that can be undone. */
export class Checkbox extends WidgetType {
  constructor(
    readonly checked: boolean,
    readonly task: string,
    readonly disabled: boolean,
  ) {
    super();
  }
  override eq(other: Checkbox): boolean {
    return other.checked === this.checked && other.task === this.task && other.disabled === this.disabled;
  }
  override toDOM(view: EditorView): HTMLElement {
    const place = element("span", "cm-task");
    const box = document.createElement("input");
    box.type = "checkbox";
    box.addEventListener("mousedown", (event) => {
      // The cursor stays where it is, and so does what is shown around it.
      event.preventDefault();
    });
    box.addEventListener("change", () => {
      tick(view, view.posAtDOM(place), box.checked);
    });
    place.append(box);
    this.updateDOM(place);
    return place;
  }
  override updateDOM(place: HTMLElement): boolean {
    const box = place.querySelector("input");
    if (!box) return false;
    box.checked = this.checked;
    box.disabled = this.disabled;
    box.setAttribute("aria-label", this.task || "Empty task");
    return true;
  }
  override ignoreEvent(): boolean {
    return true;
  }
}

function tick(view: EditorView, at: number, checked: boolean): void {
  const { doc } = view.state;
  const found = MARK_AND_BOX.exec(doc.sliceString(at, doc.lineAt(at).to));
  if (!found) return;
  const box = at + found[0].length - 2;
  view.dispatch({ changes: { from: box, to: box + 1, insert: checked ? "x" : " " }, userEvent: "input.task", annotations: isolateHistory.of("full") });
}

/** How many formulas were drawn late. The editor measures lines anew only when their widgets are new. */
let drawnLate = 0;

/** A formula; its source until it is drawn. */
export class Formula extends WidgetType {
  readonly #age = drawnLate;
  constructor(
    readonly source: string,
    readonly display: boolean,
  ) {
    super();
  }
  override eq(other: Formula): boolean {
    return other.source === this.source && other.display === this.display && other.#age === this.#age;
  }
  override toDOM(view: EditorView): HTMLElement {
    const place = element("span", "cm-formula", this.source);
    place.dataset.math = this.display ? "display" : "inline";
    view.state.facet(renderedOptions).drawFormula(place)?.then(
      () => {
        drawnLate += 1;
        if (place.isConnected) view.dispatch({ effects: redraw.of(null) });
      },
      (error: unknown) => {
        // The source of the formula stays on the page.
        console.warn("A formula could not be drawn.", error);
      },
    );
    return place;
  }
  override ignoreEvent(): boolean {
    return false;
  }
}

/** How often the picture of an address was loaded, or was not to be had. */
const loads = new Map<string, number>();

/** A picture of the workspace. One that can't be shown is named. */
export class Picture extends WidgetType {
  /** The editor measures a line anew only when its widget is another, and a loaded picture is. */
  readonly #loads: number;
  constructor(
    readonly address: string,
    readonly path: string,
    readonly description: string,
    /** In pixels; null for as wide as it is. */
    readonly width: number | null = null,
  ) {
    super();
    this.#loads = loads.get(address) ?? 0;
  }
  override eq(other: Picture): boolean {
    return other.address === this.address && other.description === this.description && other.width === this.width && other.#loads === this.#loads;
  }
  override toDOM(view: EditorView): HTMLElement {
    const place = element("span", "cm-picture");
    const image = document.createElement("img");
    place.dataset.picture = this.#key;
    place.dataset.address = this.address;
    image.alt = this.description || this.path;
    image.addEventListener("load", () => {
      settle(view, place.dataset.address ?? "");
    });
    image.addEventListener("error", () => {
      place.replaceChildren(missingPicture(this.description, this.path));
      settle(view, place.dataset.address ?? "");
    });
    if (this.width !== null) image.width = this.width;
    image.src = this.address;
    place.append(image);
    return place;
  }
  /** What is on the page stays there until there is something newer: to be measured it need not load again. */
  override updateDOM(place: HTMLElement): boolean {
    if (place.dataset.picture !== this.#key) return false;
    if (place.dataset.address === this.address) return true;
    const image = place.querySelector("img");
    if (!image) return false;
    place.dataset.address = this.address;
    image.src = this.address;
    return true;
  }
  override ignoreEvent(): boolean {
    return false;
  }
  get #key(): string {
    return `${this.path} ${String(this.width)} ${this.description}`;
  }
}

/** Has the lines of a picture that has come, or will not come, measured. */
function settle(view: EditorView, address: string): void {
  loads.set(address, (loads.get(address) ?? 0) + 1);
  if (view.dom.isConnected) view.dispatch({ effects: redraw.of(null) });
}

function missingPicture(description: string, path: string): HTMLElement {
  return element("span", "cm-picture-missing", `${description || "Picture"} (${path} could not be shown)`);
}
