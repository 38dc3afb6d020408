/** Which panels show and how wide they are. Sizes are in pixels at the default text size. */
import { recall, remember } from "../core/browser-storage";

export type Side = "left" | "right";
/** wide: three columns; overlay: files lie over the pages; single: one page at a time. */
export type LayoutMode = "wide" | "overlay" | "single";

const LIMITS: Record<Side, { min: number; max: number }> = {
  left: { min: 184, max: 480 },
  right: { min: 304, max: 760 },
};
const VERSO_MIN = 400;
/** The least room for two documents side by side. */
const SPLIT_MIN = 600;
/** Dragged narrower than this, a panel closes. */
const COLLAPSE_AT = 120;

interface Remembered {
  left: number | null;
  right: number | null;
  leftHidden: boolean;
  rightHidden: boolean;
}

export class Layout {
  /** Width of the window, counted in sixteenths of a rem: larger text makes it narrower. */
  viewport = $state(1440);
  /** One rem in pixels of the screen. */
  rem = $state(16);
  /** The overlay of the left panel, under 1080 px. */
  overlayOpen = $state(false);
  /** The page that shows alone, under 900 px. */
  singlePage = $state<"verso" | "recto">("recto");
  /** Nothing but the document, and in it nothing but the paragraph at hand. */
  focus = $state(false);
  /** Whether Markdown is shown as it reads, or as its source. */
  #rendered = $state(recall("rendered", isTruth) ?? true);
  #wrapped = $state(recall("wrapped", isTruth) ?? false);
  #blamed = $state(recall("blamed", isTruth) ?? false);
  #memory = $state<Remembered>(recall("layout", isRemembered) ?? { left: null, right: null, leftHidden: false, rightHidden: false });

  readonly mode: LayoutMode = $derived(this.viewport < 900 ? "single" : this.viewport < 1080 ? "overlay" : "wide");
  readonly leftHidden = $derived(this.mode === "wide" ? this.focus || this.#memory.leftHidden : !this.overlayOpen);
  readonly rightHidden = $derived(this.mode === "single" ? this.singlePage !== "recto" : this.focus || this.#memory.rightHidden);
  readonly versoHidden = $derived(this.mode === "single" && this.singlePage !== "verso");

  /** Whether there is room for two documents side by side. */
  get canSplit(): boolean {
    if (this.mode !== "wide") return false;
    const left = this.leftHidden ? 0 : this.width("left");
    const right = this.rightHidden ? 0 : this.width("right");
    return this.viewport - left - right >= SPLIT_MIN;
  }

  get rendered(): boolean {
    return this.#rendered;
  }

  set rendered(rendered: boolean) {
    this.#rendered = rendered;
    remember("rendered", rendered);
  }

  /** Whether long lines of code go on in the next row. */
  get wrapped(): boolean {
    return this.#wrapped;
  }

  set wrapped(wrapped: boolean) {
    this.#wrapped = wrapped;
    remember("wrapped", wrapped);
  }

  /** Whether it shows who changed the line of the cursor. */
  get blamed(): boolean {
    return this.#blamed;
  }

  set blamed(blamed: boolean) {
    this.#blamed = blamed;
    remember("blamed", blamed);
  }

  measure(windowWidth: number, rem: number): void {
    this.rem = rem;
    this.viewport = (windowWidth * 16) / rem;
  }

  width(side: Side): number {
    return this.clamp(side, this.#memory[side] ?? defaultWidth(side, this.viewport));
  }

  /** The widest a panel may be now, so that the document keeps its room. */
  max(side: Side): number {
    const other = this.mode !== "wide" || side === "left" ? 0 : this.#memory.leftHidden ? 0 : this.width("left");
    const room = this.viewport - VERSO_MIN - (side === "left" ? LIMITS.right.min : other);
    return Math.max(LIMITS[side].min, Math.min(LIMITS[side].max, room));
  }

  min(side: Side): number {
    return LIMITS[side].min;
  }

  clamp(side: Side, width: number): number {
    return Math.round(Math.min(this.max(side), Math.max(this.min(side), width)));
  }

  resize(side: Side, width: number): void {
    if (width < COLLAPSE_AT) this.#change({ [hidden(side)]: true });
    else this.#change({ [side]: this.clamp(side, width), [hidden(side)]: false });
  }

  reset(side: Side): void {
    this.#change({ [side]: null });
  }

  toggleLeft(): void {
    if (this.mode === "wide") this.#toggle("left");
    else this.overlayOpen = !this.overlayOpen;
  }

  toggleRight(): void {
    if (this.mode === "single") this.singlePage = this.singlePage === "recto" ? "verso" : "recto";
    else this.#toggle("right");
  }

  showLeft(): void {
    if (this.leftHidden) this.toggleLeft();
  }

  /** Makes the document visible: closes what lies over it. */
  showDocument(): void {
    this.overlayOpen = false;
    this.singlePage = "verso";
  }

  toggleFocus(): void {
    this.focus = !this.focus;
    if (this.focus) this.showDocument();
  }

  /** Who asks for a panel leaves the focus on the document. */
  #toggle(side: Side): void {
    this.#change({ [hidden(side)]: !this.focus && !this.#memory[hidden(side)] });
    this.focus = false;
  }

  #change(change: Partial<Remembered>): void {
    this.#memory = { ...this.#memory, ...change };
    remember("layout", this.#memory);
  }
}

function hidden(side: Side): "leftHidden" | "rightHidden" {
  return side === "left" ? "leftHidden" : "rightHidden";
}

export function defaultWidth(side: Side, viewport: number): number {
  if (viewport > 2200) return side === "left" ? 288 : 576;
  if (viewport > 1240) return side === "left" ? 256 : 440;
  return side === "left" ? 216 : 376;
}

function isTruth(value: unknown): value is boolean {
  return typeof value === "boolean";
}

function isRemembered(value: unknown): value is Remembered {
  if (typeof value !== "object" || value === null) return false;
  const width = (size: unknown) => size === null || (typeof size === "number" && Number.isFinite(size));
  return (
    "left" in value && width(value.left) &&
    "right" in value && width(value.right) &&
    "leftHidden" in value && typeof value.leftHidden === "boolean" &&
    "rightHidden" in value && typeof value.rightHidden === "boolean"
  );
}
