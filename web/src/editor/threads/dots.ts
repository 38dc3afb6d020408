/** The dots of threads beside a text: buttons that open them, with names that say what they are. */
import { type EditorState, type Extension } from "@codemirror/state";
import { EditorView, type PluginValue, ViewPlugin, type ViewUpdate } from "@codemirror/view";
import { type FoundThread, threadContext, threadField, type ThreadLook, threadsIn } from "./field";
import { DOT, layOut, type Rows } from "./rows";

const STEPS: Readonly<Record<string, 1 | -1>> = { ArrowDown: 1, ArrowRight: 1, ArrowUp: -1, ArrowLeft: -1 };

class Dots implements PluginValue {
  readonly #view: EditorView;
  readonly #dom: HTMLElement;
  readonly #buttons = new Map<string, HTMLButtonElement>();
  readonly #more: HTMLButtonElement[] = [];
  /** Those for which their line has no room: a button of their own stands for them. */
  #crowded: ReadonlySet<string> = new Set();
  /** The dot that takes the focus once it is drawn. */
  #wanted: string | null = null;

  constructor(view: EditorView) {
    this.#view = view;
    this.#dom = view.dom.ownerDocument.createElement("div");
    this.#dom.className = "thread-dots";
    this.#dom.addEventListener("keydown", this.#press);
    view.scrollDOM.append(this.#dom);
    this.#measure();
  }

  update({ docChanged, geometryChanged, viewportChanged, selectionSet, startState, state }: ViewUpdate): void {
    const renewed = startState.field(threadField) !== state.field(threadField);
    const isEmpty = state.field(threadField).marks.size === 0 && this.#buttons.size === 0;
    if (renewed || (!isEmpty && (docChanged || geometryChanged || viewportChanged || selectionSet))) this.#measure();
  }

  destroy(): void {
    this.#dom.remove();
  }

  #measure(): void {
    this.#view.requestMeasure({ key: this, read: () => this.#read(), write: (rows) => { this.#write(rows); } });
  }

  #read(): Rows {
    const view = this.#view;
    const box = this.#dom.getBoundingClientRect();
    const { right } = view.contentDOM.getBoundingClientRect();
    const threads = this.#inSight().map(({ look, from }) => ({ id: look.id, middle: middleOf(view, from) - box.top }));
    return layOut(threads, { text: right, edge: box.right });
  }

  /** Those on the screen, and one that has the focus. */
  #inSight(): FoundThread[] {
    const { state, viewport } = this.#view;
    const focused = this.#focused();
    const isInSight = ({ from }: FoundThread) => from >= viewport.from && from <= viewport.to;
    if (focused === null) return withDots(state, viewport.from, viewport.to).filter(isInSight);
    return withDots(state).filter((thread) => isInSight(thread) || thread.look.id === focused);
  }

  #write({ dots, more }: Rows): void {
    const { looks } = this.#view.state.field(threadField);
    const before = this.#dom.ownerDocument.activeElement;
    const hadFocus = this.#dom.contains(before);
    const drawn = dots.flatMap(({ id, ...place }) => {
      const look = looks.get(id);
      return look ? [put(this.#button(id), look, place)] : [];
    });
    this.#crowded = new Set(more.flatMap(({ ids }) => ids));
    const wanted = [...drawn, ...more.map(({ ids, ...place }, index) => this.#moreButton(index, ids.length, place))];
    for (const [id, button] of this.#buttons) if (!drawn.includes(button)) this.#buttons.delete(id);
    // What is in order stays as it is: elements put anew lose the focus, and pulses begin again.
    if (wanted.length !== this.#dom.children.length || wanted.some((button, index) => this.#dom.children[index] !== button)) this.#dom.replaceChildren(...wanted);
    this.#dom.setAttribute("role", drawn.length > 0 ? "group" : "none");
    // Only a group may have a name.
    if (drawn.length > 0) this.#dom.setAttribute("aria-label", "Threads in this text");
    else this.#dom.removeAttribute("aria-label");
    this.#rove(drawn);
    if (this.#wanted !== null && this.#buttons.has(this.#wanted)) this.#focus(this.#wanted);
    else if (hadFocus && before instanceof HTMLElement) (before.isConnected ? before : this.#view.contentDOM).focus({ preventScroll: true });
  }

  #button(id: string): HTMLButtonElement {
    const known = this.#buttons.get(id);
    if (known) return known;
    const button = this.#dom.ownerDocument.createElement("button");
    button.type = "button";
    button.className = "thread-dot";
    button.addEventListener("click", () => { this.#view.state.facet(threadContext)?.around.open(id); });
    this.#buttons.set(id, button);
    return button;
  }

  #moreButton(index: number, count: number, spot: Spot): HTMLButtonElement {
    const button = this.#more[index] ?? this.#dom.ownerDocument.createElement("button");
    if (!this.#more[index]) {
      button.type = "button";
      button.className = "thread-more";
      button.addEventListener("click", () => { this.#view.state.facet(threadContext)?.around.openAll(); });
      this.#more.push(button);
    }
    button.textContent = `+${String(count)}`;
    return named(placed(button, spot), `${String(count)} more threads on this line`);
  }

  /** One stop for Tab, and none while something is selected: then Tab goes to the bar beside the selection. */
  #rove(drawn: readonly HTMLButtonElement[]): void {
    const focused = this.#focused();
    const stop = (focused === null ? undefined : this.#buttons.get(focused)) ?? drawn[0];
    const isEmpty = this.#view.state.selection.main.empty;
    for (const button of drawn) button.tabIndex = isEmpty && button === stop ? 0 : -1;
    for (const button of this.#more) button.tabIndex = isEmpty ? 0 : -1;
  }

  #focused(): string | null {
    const active = this.#dom.ownerDocument.activeElement;
    return [...this.#buttons].find(([, button]) => button === active)?.[0] ?? null;
  }

  #focus(id: string): void {
    this.#wanted = null;
    this.#buttons.get(id)?.focus({ preventScroll: true });
    this.#measure();
  }

  readonly #press = (event: KeyboardEvent): void => {
    if (event.ctrlKey || event.metaKey || event.altKey || !this.#pressed(event.key)) return;
    event.preventDefault();
    event.stopPropagation();
  };

  #pressed(key: string): boolean {
    const all = withDots(this.#view.state).filter(({ look }) => !this.#crowded.has(look.id));
    const here = this.#wanted ?? this.#focused();
    const at = all.findIndex(({ look }) => look.id === here);
    if (key === "Escape") this.#view.focus();
    else if (key === "Home") this.#goTo(all[0]);
    else if (key === "End") this.#goTo(all.at(-1));
    else if (STEPS[key] !== undefined) this.#goTo(all[Math.max(0, at + STEPS[key])]);
    else return false;
    return true;
  }

  /** Takes the focus to a dot; one out of sight is brought into it. */
  #goTo(thread: FoundThread | undefined): void {
    if (!thread) return;
    const { id } = thread.look;
    if (this.#buttons.has(id)) this.#focus(id);
    else this.#wanted = id;
    this.#view.dispatch({ effects: EditorView.scrollIntoView(thread.from, { y: "nearest", yMargin: 2 * DOT }) });
    this.#measure();
  }
}

interface Spot {
  right: number;
  top: number;
}

/** The threads that have a dot, in the order of the text. */
function withDots(state: EditorState, from?: number, to?: number): FoundThread[] {
  return threadsIn(state, from, to).filter(({ look }) => look.name !== null);
}

/** The middle of the line on which a passage begins, on the screen. */
function middleOf(view: EditorView, at: number): number {
  const place = view.coordsAtPos(at, 1);
  if (place) return (place.top + place.bottom) / 2;
  const { top, height } = view.lineBlockAt(at);
  return view.documentTop + top + Math.min(height, view.defaultLineHeight) / 2;
}

function put(button: HTMLButtonElement, { name, status, isOpen }: ThreadLook, spot: Spot): HTMLButtonElement {
  button.dataset["status"] = status;
  button.toggleAttribute("data-open", isOpen);
  if (isOpen) button.setAttribute("aria-current", "true");
  else button.removeAttribute("aria-current");
  return named(placed(button, spot), name ?? "");
}

function placed(button: HTMLButtonElement, { right, top }: Spot): HTMLButtonElement {
  button.style.right = `${String(right)}px`;
  button.style.top = `${String(top)}px`;
  return button;
}

function named(button: HTMLButtonElement, name: string): HTMLButtonElement {
  button.title = name;
  button.setAttribute("aria-label", name);
  return button;
}

export const dots: Extension = ViewPlugin.define((view) => new Dots(view));
