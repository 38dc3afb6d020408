/** Asks for suggestions and brings the answers into the state: owns the request and the timers, never the truth. */
import type { EditorState, PluginView } from "prosemirror-state";
import type { EditorView } from "prosemirror-view";
import { type Ghost, restOf } from "../ghost/ghost";
import { ghostOf, type PageNews } from "./suggestion";
import { asking, canSuggest, dismissing, type GhostAround, telling } from "./suggestion-commands";

/** More than is used: the server cuts at words, and says where it has cut. */
const BEFORE = 8_192;
const AFTER = 2_048;
/** A suggestion shows at the earliest this long after it was asked for, so that nothing flickers. */
const REVEAL_MS = 100;
const KEYS = "Tab accepts it, Control and right arrow a word, Control and End a line. Up and down arrows show others, Escape sends it away.";

type Timer = ReturnType<typeof setTimeout>;

export class SuggestionAsker implements PluginView {
  readonly #view: EditorView;
  readonly #around: GhostAround;
  /** Says to those who can't see it what is suggested. */
  readonly #voice: HTMLElement;
  #ending: AbortController | null = null;
  #revealing: Timer | undefined;
  #hiding: Timer | undefined;
  #pausing: Timer | undefined;
  #showAt = 0;
  #isHovered = false;
  #seenAt = Infinity;
  /** How many letters were taken with the last of a suggestion. */
  #whole: number | null = null;

  constructor(view: EditorView, around: GhostAround) {
    this.#view = view;
    this.#around = around;
    this.#voice = document.createElement("div");
    this.#voice.className = "visually-hidden";
    this.#voice.setAttribute("role", "status");
    view.dom.after(this.#voice);
  }

  update(view: EditorView, old: EditorState): void {
    const before = ghostOf(old);
    const now = ghostOf(view.state);
    if (before !== now) this.#follow(before, now);
    if (now === null && !old.doc.eq(view.state.doc)) this.#awaitPause();
  }

  destroy(): void {
    this.#stop();
    clearTimeout(this.#pausing);
    this.#voice.remove();
  }

  /** Whether the suggestion could be seen at a time. */
  wasSeen(time: number): boolean {
    return time >= this.#seenAt;
  }

  noteWhole(characters: number): void {
    this.#whole = characters;
  }

  hover(isHovered: boolean): void {
    this.#isHovered = isHovered;
    if (ghostOf(this.#view.state)?.phase === "active") this.#hideLater();
  }

  #tell(news: PageNews): void {
    if (!this.#view.isDestroyed) this.#view.dispatch(telling(this.#view.state.tr, news));
  }

  #follow(before: Ghost | null, now: Ghost | null): void {
    if (before !== null && before.request !== now?.request) {
      this.#stop();
      if (before.phase === "active") this.#report(before);
      this.#whole = null;
    }
    if (now === null) this.#say("");
    else if (before?.request !== now.request) this.#ask(now);
    else this.#go(before, now);
  }

  #go(before: Ghost, now: Ghost): void {
    if (now.phase === "active") {
      if (before.phase === "loading") {
        requestAnimationFrame(() => { this.#seenAt = performance.now(); });
        this.#say(`Suggestion: ${restOf(now).trim()} ${KEYS}`);
      } else if (before.index !== now.index) this.#say(`Suggestion ${String(now.index + 1)} of ${String(now.items.length)}: ${restOf(now).trim()}`);
      this.#hideLater();
    } else {
      if (now.taken !== before.taken) this.#showAt = performance.now() + REVEAL_MS;
      this.#revealSoon(now);
    }
  }

  #say(words: string): void {
    this.#voice.textContent = words;
  }

  #ask(ghost: Ghost): void {
    clearTimeout(this.#pausing);
    this.#ending = new AbortController();
    this.#showAt = performance.now() + REVEAL_MS;
    this.#revealSoon(ghost);
    void this.#hear(ghost, this.#ending.signal);
  }

  async #hear({ request, asked, at }: Ghost, signal: AbortSignal): Promise<void> {
    const { source, path } = this.#around;
    const { doc } = this.#view.state;
    const prefix = doc.textBetween(Math.max(0, at - BEFORE), at, "\n\n").replace(/^[\uDC00-\uDFFF]/, "");
    const suffix = doc.textBetween(at, Math.min(doc.content.size, at + AFTER), "\n\n").replace(/[\uD800-\uDBFF]$/, "");
    try {
      for await (const suggestion of source.ask({ path, prefix, suffix, language: null }, signal)) {
        if (signal.aborted) return;
        this.#tell({ is: "arrive", request, suggestion });
      }
    } catch (error) {
      // Whoever asked hears why there is none; whoever only paused writes on.
      if (!signal.aborted && asked) source.failed(error);
      else if (!signal.aborted) console.warn("There is no suggestion.", error);
    }
    if (!signal.aborted) this.#tell({ is: "finish", request });
  }

  #revealSoon({ request }: Ghost): void {
    clearTimeout(this.#revealing);
    this.#revealing = setTimeout(() => { this.#reveal(request); }, Math.max(0, this.#showAt - performance.now()));
  }

  #reveal(request: number): void {
    const ghost = ghostOf(this.#view.state);
    if (ghost?.request !== request || ghost.phase === "active") return;
    if (ghost.items.length > 0) this.#tell({ is: "reveal", request });
    else if (ghost.asked && !ghost.isLate) this.#tell({ is: "late", request });
  }

  #hideLater(): void {
    clearTimeout(this.#hiding);
    const seconds = this.#around.source.settings().suggestHideSeconds;
    if (seconds === 0 || this.#isHovered) return;
    this.#hiding = setTimeout(() => { dismissing(this.#view); }, seconds * 1000);
  }

  /** Asks by itself once the person pauses, if that is wanted. */
  #awaitPause(): void {
    clearTimeout(this.#pausing);
    const { suggest, suggestPauseMs } = this.#around.source.settings();
    if (suggest !== "pause" || !this.#view.hasFocus()) return;
    this.#pausing = setTimeout(() => {
      const view = this.#view;
      if (ghostOf(view.state) === null && view.hasFocus() && canSuggest(view, this.#around)) this.#tell(asking(false));
    }, suggestPauseMs);
  }

  /** Says what became of the suggestions that were shown. */
  #report(ghost: Ghost): void {
    const item = ghost.items[ghost.index];
    if (!item) return;
    const characters = ghost.accepted + (this.#whole ?? 0);
    const outcome = this.#whole !== null ? "accepted" : characters > 0 ? "partly" : "dismissed";
    this.#around.source.outcome(item.id, { outcome, index: item.index, characters });
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
