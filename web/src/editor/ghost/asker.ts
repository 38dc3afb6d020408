/** Asks for suggestions and brings the answers into the state: owns the request and the timers, never the truth. */
import type { EditorState } from "@codemirror/state";
import { EditorView, type PluginValue, ViewPlugin, type ViewUpdate } from "@codemirror/view";
import { type Ghost, restOf } from "../../ghost/ghost";
import { asking, canSuggest, spoken } from "./commands";
import { type GhostPlace, ghostPlace, type GhostRequest, type Outcome, REVEAL_MS } from "./options";
import { languageAt } from "./rule";
import { accept, dismiss, ghostField, tell } from "./state";

/** More than is used: the server cuts at words, and says where it has cut. */
const BEFORE = 8_192;
const AFTER = 2_048;
const KEYS = "Tab accepts it, Control and right arrow a word, Control and End a line. Up and down arrows show others, Escape sends it away.";

type Timer = ReturnType<typeof setTimeout>;

class Asker implements PluginValue {
  readonly #view: EditorView;
  #ending: AbortController | null = null;
  #revealing: Timer | undefined;
  #hiding: Timer | undefined;
  #pausing: Timer | undefined;
  /** No sooner than this may anything show. */
  #showAt = 0;
  #isHovered = false;
  /** Since when the suggestion can be seen. */
  #seenAt = Infinity;

  constructor(view: EditorView) {
    this.#view = view;
    // A text that comes back to the screen has nobody to ask any more for what it once wanted.
    if (view.state.field(ghostField) !== null) queueMicrotask(() => { view.dispatch({ effects: dismiss.of(null) }); });
  }

  update(update: ViewUpdate): void {
    const before = update.startState.field(ghostField, false) ?? null;
    const now = update.state.field(ghostField);
    if (before !== now) this.#follow(before, now, update);
    if (now === null && update.docChanged) this.#awaitPause(update);
  }

  destroy(): void {
    this.#stop();
    clearTimeout(this.#pausing);
  }

  /** Whether the suggestion could be seen at a time. */
  wasSeen(time: number): boolean {
    return time >= this.#seenAt;
  }

  hover(isHovered: boolean): void {
    this.#isHovered = isHovered;
    if (this.#view.state.field(ghostField)?.phase === "active") this.#hideLater();
  }

  #follow(before: Ghost | null, now: Ghost | null, update: ViewUpdate): void {
    if (before !== null && before.request !== now?.request) {
      this.#stop();
      if (before.phase === "active") report(update.state, before, update);
    }
    if (now !== null && before?.request !== now.request) this.#ask(now, update.state);
    else if (now !== null && before !== null) this.#go(before, now);
  }

  #go(before: Ghost, now: Ghost): void {
    if (now.phase === "active") {
      if (before.phase === "loading") this.#seeSoon();
      this.#hideLater();
    } else {
      if (now.taken !== before.taken) this.#showAt = performance.now() + REVEAL_MS;
      this.#revealSoon(now);
    }
  }

  #ask(ghost: Ghost, state: EditorState): void {
    const place = state.facet(ghostPlace);
    if (!place) return;
    clearTimeout(this.#pausing);
    const ending = new AbortController();
    this.#ending = ending;
    this.#showAt = performance.now() + REVEAL_MS;
    this.#revealSoon(ghost);
    void this.#hear(place, requestAt(state, ghost.at, place), ghost, ending.signal);
  }

  async #hear({ source }: GhostPlace, request: GhostRequest, { request: number, asked }: Ghost, signal: AbortSignal): Promise<void> {
    try {
      for await (const suggestion of source.ask(request, signal)) {
        if (signal.aborted) return;
        this.#view.dispatch({ effects: tell.of({ is: "arrive", request: number, suggestion }) });
      }
    } catch (error) {
      // Whoever asked hears why there is none; whoever only paused writes on.
      if (!signal.aborted && asked) source.failed(error);
      else if (!signal.aborted) console.warn("There is no suggestion.", error);
    }
    if (!signal.aborted) this.#view.dispatch({ effects: tell.of({ is: "finish", request: number }) });
  }

  #revealSoon({ request }: Ghost): void {
    clearTimeout(this.#revealing);
    this.#revealing = setTimeout(() => { this.#reveal(request); }, Math.max(0, this.#showAt - performance.now()));
  }

  #reveal(request: number): void {
    const ghost = this.#view.state.field(ghostField);
    if (ghost?.request !== request) return;
    if (ghost.items.length === 0) {
      // Who only paused is not told: nobody waits.
      if (ghost.asked && !ghost.isLate) this.#view.dispatch({ effects: tell.of({ is: "late", request }) });
      return;
    }
    this.#view.dispatch({ effects: [tell.of({ is: "reveal", request }), EditorView.announce.of(`${spoken("Suggestion", restOf(ghost))} ${KEYS}`)] });
  }

  #seeSoon(): void {
    requestAnimationFrame(() => {
      this.#seenAt = performance.now();
      showWhole(this.#view);
    });
  }

  #hideLater(): void {
    clearTimeout(this.#hiding);
    const seconds = this.#view.state.facet(ghostPlace)?.source.settings().suggestHideSeconds ?? 0;
    if (seconds === 0 || this.#isHovered) return;
    this.#hiding = setTimeout(() => { this.#view.dispatch({ effects: dismiss.of(null) }); }, seconds * 1000);
  }

  /** Asks by itself once the person pauses, if that is wanted. */
  #awaitPause(update: ViewUpdate): void {
    const settings = update.state.facet(ghostPlace)?.source.settings();
    if (settings?.suggest !== "pause") return;
    clearTimeout(this.#pausing);
    if (!update.transactions.some((one) => one.isUserEvent("input.type"))) return;
    this.#pausing = setTimeout(() => { this.#askAfterPause(); }, settings.suggestPauseMs);
  }

  #askAfterPause(): void {
    const view = this.#view;
    if (view.state.field(ghostField) === null && view.hasFocus && canSuggest(view)) view.dispatch({ effects: asking(false) });
  }

  #stop(): void {
    this.#ending?.abort();
    this.#ending = null;
    this.#seenAt = Infinity;
    this.#isHovered = false;
    clearTimeout(this.#revealing);
    clearTimeout(this.#hiding);
  }
}

/** Scrolls as far as the suggestion hangs out of the page. */
function showWhole({ scrollDOM }: EditorView): void {
  const drawn = scrollDOM.querySelector(".ghost");
  if (!drawn) return;
  const page = scrollDOM.getBoundingClientRect();
  const { top, bottom } = drawn.getBoundingClientRect();
  scrollDOM.scrollTop += Math.max(0, Math.min(bottom - page.top - scrollDOM.clientHeight, top - page.top));
}

/** What stands around a place, with no character cut in two. */
function requestAt(state: EditorState, at: number, place: GhostPlace): GhostRequest {
  const language = languageAt(state, at, place.language);
  const { before, after } = place.around?.() ?? { before: "", after: "" };
  const prefix = `${before}${state.sliceDoc(Math.max(0, at - BEFORE), at)}`.slice(-BEFORE);
  const suffix = `${state.sliceDoc(at, Math.min(state.doc.length, at + AFTER))}${after}`.slice(0, AFTER);
  return {
    path: place.path,
    prefix: prefix.replace(/^[\uDC00-\uDFFF]/, ""),
    suffix: suffix.replace(/[\uD800-\uDBFF]$/, ""),
    language: language === "" ? "code" : language,
  };
}

/** Says what became of the suggestions that were shown. */
function report(state: EditorState, ghost: Ghost, { transactions }: ViewUpdate): void {
  const last = transactions.map((one) => one.annotation(accept)).find((one) => one?.whole);
  const characters = ghost.accepted + (last?.text.length ?? 0);
  const outcome: Outcome["outcome"] = last ? "accepted" : characters > 0 ? "partly" : "dismissed";
  const item = ghost.items[ghost.index];
  if (item) state.facet(ghostPlace)?.source.outcome(item.id, { outcome, index: item.index, characters });
}

export const asker = ViewPlugin.fromClass(Asker);

/** Whether the suggestion of an editor could be seen at a time, that of an event for one. */
export function wasSeen(view: EditorView, time: number): boolean {
  return view.plugin(asker)?.wasSeen(time) ?? false;
}
