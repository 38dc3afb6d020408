/**
 * Diagrams of a text, drawn by a page in a frame: it has no origin, reaches no network, and runs nothing but its own
 * script. What comes back is a picture, and is shown as one.
 */

export type Diagram = { address: string; width: number; height: number } | { problem: string };

interface Waiting {
  key: string;
  source: string;
  isDark: boolean;
}

const FRAME = "/diagrams.html";
const MOST_KEPT = 200;
const LONGEST = 50_000;
const PATIENCE_MS = 20_000;
const TOO_LONG: Diagram = { problem: "It is too long." };
const TOO_SLOW: Diagram = { problem: "Drawing it takes too long." };

export class Diagrams {
  /** Grows whenever one was drawn. */
  changes = $state(0);
  readonly #drawn = new Map<string, Diagram>();
  readonly #waiting: Waiting[] = [];
  #running: Waiting | null = null;
  #frame: HTMLIFrameElement | null = null;
  #isReady = false;
  #timer: ReturnType<typeof setTimeout> | undefined;

  /** The picture of a diagram; null until it is drawn. */
  picture(source: string, isDark: boolean): Diagram | null {
    if (source.length > LONGEST) return TOO_LONG;
    const key = `${String(isDark)} ${source}`;
    const drawn = this.#drawn.get(key);
    if (drawn) return drawn;
    if (this.#running?.key !== key && !this.#waiting.some((one) => one.key === key)) {
      // What is typed over before it was drawn is not wanted any more.
      if (this.#waiting.length > 20) this.#waiting.shift();
      this.#waiting.push({ key, source, isDark });
      this.#next();
    }
    return null;
  }

  close(): void {
    window.removeEventListener("message", this.#hear);
    clearTimeout(this.#timer);
    this.#frame?.remove();
    this.#frame = null;
    this.#isReady = false;
    this.#running = null;
  }

  #next(): void {
    if (this.#running) return;
    const next = this.#waiting.shift();
    if (!next) return;
    this.#running = next;
    this.#timer = setTimeout(() => {
      // Whatever the frame is at, it goes.
      this.close();
      this.#keep(next.key, TOO_SLOW);
    }, PATIENCE_MS);
    if (!this.#frame) this.#open();
    else if (this.#isReady) this.#ask(next);
  }

  #open(): void {
    const frame = document.createElement("iframe");
    frame.setAttribute("sandbox", "allow-scripts");
    frame.referrerPolicy = "no-referrer";
    frame.title = "Draws diagrams";
    frame.ariaHidden = "true";
    frame.tabIndex = -1;
    frame.className = "diagram-frame";
    frame.src = FRAME;
    window.addEventListener("message", this.#hear);
    document.body.append(frame);
    this.#frame = frame;
  }

  #ask({ key, source, isDark }: Waiting): void {
    // It has no origin that could be named.
    this.#frame?.contentWindow?.postMessage({ key, source, isDark }, "*");
  }

  readonly #hear = (event: MessageEvent<unknown>): void => {
    // Its window alone, and only while it has no origin.
    if (!this.#frame || event.source !== this.#frame.contentWindow || event.origin !== "null") return;
    const said = (event.data ?? {}) as Record<string, unknown>;
    if (said["ready"] === true && !this.#isReady) {
      this.#isReady = true;
      if (this.#running) this.#ask(this.#running);
    } else if (said["key"] === this.#running?.key && this.#running) {
      clearTimeout(this.#timer);
      const { key } = this.#running;
      this.#running = null;
      this.#keep(key, diagramOf(said));
    }
  };

  #keep(key: string, diagram: Diagram): void {
    this.#drawn.set(key, diagram);
    const [oldest] = this.#drawn.keys();
    if (this.#drawn.size > MOST_KEPT && oldest !== undefined) this.#drawn.delete(oldest);
    this.changes += 1;
    this.#next();
  }
}

/** What the frame said, taken for nothing but a picture or words. */
function diagramOf({ svg, width, height, problem }: Record<string, unknown>): Diagram {
  const isSize = (size: unknown): size is number => typeof size === "number" && size >= 1 && size <= 20_000;
  // As a picture it runs no script and loads nothing, whatever it holds.
  if (typeof svg === "string" && svg.length <= 5_000_000 && isSize(width) && isSize(height)) return { address: `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svg)}`, width, height };
  return { problem: typeof problem === "string" ? problem.slice(0, 300) : "It can’t be read." };
}
