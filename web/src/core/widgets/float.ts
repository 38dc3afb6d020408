/** Lays a small panel over everything else, beside what opened it; Esc and a press elsewhere close it. */

export interface FloatOptions {
  anchor: () => HTMLElement | null;
  close: () => void;
  /** Where the focus goes after; to what opened it, unless told otherwise. */
  back?: (() => HTMLElement | null) | undefined;
  /** Which edges line up. */
  align?: "start" | "end";
}

const GAP = 4;
const MARGIN = 8;

export function float({ anchor, close, back = anchor, align = "end" }: FloatOptions): (panel: HTMLElement) => () => void {
  return (panel) => {
    const opener = anchor();
    panel.popover = "manual";
    panel.classList.add("floating");
    panel.showPopover();
    const settle = () => { if (opener) place(panel, opener, align); };
    const outside = (event: PointerEvent) => {
      if (event.target instanceof Node && !panel.contains(event.target) && !opener?.contains(event.target)) close();
    };
    const press = (event: KeyboardEvent) => {
      if (event.key !== "Escape") return;
      event.stopPropagation();
      event.preventDefault();
      leave();
    };
    const leave = () => {
      const home = back();
      close();
      home?.focus();
    };
    // In a window of another size it would stand beside nothing; the keyboard goes back if it was in there.
    const resized = () => {
      if (panel.contains(document.activeElement)) leave();
      else close();
    };
    settle();
    // What is opened inside it must not grow out of the window.
    const sizes = new ResizeObserver(settle);
    sizes.observe(panel);
    window.addEventListener("pointerdown", outside, true);
    window.addEventListener("resize", resized);
    window.addEventListener("scroll", settle, true);
    window.addEventListener("keydown", press, true);
    return () => {
      sizes.disconnect();
      window.removeEventListener("pointerdown", outside, true);
      window.removeEventListener("resize", resized);
      window.removeEventListener("scroll", settle, true);
      window.removeEventListener("keydown", press, true);
    };
  };
}

/** Below the opener where there is room, else above it; never outside the window. */
function place(panel: HTMLElement, opener: HTMLElement, align: "start" | "end"): void {
  const from = opener.getBoundingClientRect();
  const { width, height } = panel.getBoundingClientRect();
  const below = from.bottom + GAP + height <= window.innerHeight - MARGIN;
  const top = below ? from.bottom + GAP : Math.max(MARGIN, from.top - GAP - height);
  const wanted = align === "end" ? from.right - width : from.left;
  const left = Math.min(Math.max(MARGIN, wanted), Math.max(MARGIN, window.innerWidth - MARGIN - width));
  panel.style.top = `${String(top)}px`;
  panel.style.left = `${String(left)}px`;
}
