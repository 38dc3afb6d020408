/** What a text shows of others: a note, or a diagram in place of its source. */
import { type EditorView, WidgetType } from "@codemirror/view";
import { type Diagram, renderedOptions } from "./options";

const leaving = new WeakMap<HTMLElement, () => void>();

/** The text of another note. A press on its name opens it. */
export class EmbeddedNote extends WidgetType {
  constructor(
    readonly name: string,
    readonly path: string,
    readonly text: string,
  ) {
    super();
  }
  override eq(other: EmbeddedNote): boolean {
    return other.name === this.name && other.path === this.path && other.text === this.text;
  }
  override toDOM(view: EditorView): HTMLElement {
    const place = document.createElement("span");
    place.className = "cm-embedded";
    place.role = "group";
    place.ariaLabel = `Shown from ${this.path}`;
    const body = document.createElement("div");
    body.className = "cm-embedded-text prose";
    const head = document.createElement("button");
    head.type = "button";
    head.className = "cm-embedded-name";
    head.textContent = this.name;
    head.addEventListener("click", () => { view.state.facet(renderedOptions).openNote(this.name); });
    place.append(head, body);
    leaving.set(place, view.state.facet(renderedOptions).drawText(body, this.text));
    return place;
  }
  override destroy(place: HTMLElement): void {
    leaving.get(place)?.();
    leaving.delete(place);
  }
  override ignoreEvent(event: Event): boolean {
    return event.type !== "mousedown" || (event.target instanceof Element && event.target.closest("button, a") !== null);
  }
}

/** A diagram: its picture, with its source as the words for it, or why there is none. */
export class DrawnDiagram extends WidgetType {
  constructor(
    readonly source: string,
    readonly diagram: Diagram,
  ) {
    super();
  }
  override eq(other: DrawnDiagram): boolean {
    return other.source === this.source && other.diagram === this.diagram;
  }
  override toDOM(): HTMLElement {
    const place = document.createElement("span");
    if ("problem" in this.diagram) {
      place.className = "cm-picture-missing cm-diagram";
      place.textContent = `This diagram can’t be drawn. ${this.diagram.problem}`;
      return place;
    }
    place.className = "cm-diagram";
    const picture = document.createElement("img");
    picture.alt = `Diagram: ${this.source.trim().replace(/\s+/g, " ").slice(0, 400)}`;
    picture.src = this.diagram.address;
    picture.width = this.diagram.width;
    picture.height = this.diagram.height;
    place.append(picture);
    return place;
  }
  override ignoreEvent(): boolean {
    return false;
  }
}
