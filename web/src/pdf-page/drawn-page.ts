/** One page of a PDF on the screen: its picture, its letters to select, and its links. It does nothing by itself. */
import { AbortException, type PDFPageProxy, RenderingCancelledException, type RenderTask, TextLayer } from "pdfjs-dist";
import { type PdfFile, PIXELS_PER_POINT } from "./file";

/** A larger canvas is refused by browsers, or fills the memory: such a page is drawn coarser. */
const CANVAS_MAX_PIXELS = 16_000_000;
const LINKS_MAX = 2_000;

export interface DrawnLink {
  /** An address outside; null for a place in the same file. */
  href: string | null;
  destination: unknown;
  /** In parts of the page, from its left upper corner. */
  left: number;
  top: number;
  width: number;
  height: number;
}

export class DrawnPage {
  /** The elements of the letters, in the order of the page's pieces. */
  letters: readonly HTMLElement[] = [];
  readonly #canvas: HTMLCanvasElement;
  readonly #layer: HTMLElement;
  readonly #leaving = new AbortController();
  #drawing: RenderTask | null = null;
  #writing: TextLayer | null = null;

  constructor(canvas: HTMLCanvasElement, layer: HTMLElement) {
    this.#canvas = canvas;
    this.#layer = layer;
  }

  /** Draws the page and answers its links; null when it was taken away meanwhile. */
  async draw(file: PdfFile, number: number, scale: number): Promise<readonly DrawnLink[] | null> {
    try {
      const page = await file.page(number);
      if (this.#hasLeft()) return null;
      await Promise.all([this.#paint(page, scale), this.#write(page, scale)]);
      if (this.#hasLeft()) return null;
      return linksOf(page, await page.getAnnotations({ intent: "display" }));
    } catch (error) {
      if (this.#hasLeft() || error instanceof RenderingCancelledException || error instanceof AbortException) return null;
      throw error;
    }
  }

  /** Takes the page away; its memory is free at once. */
  remove(): void {
    this.#leaving.abort();
    this.#drawing?.cancel();
    this.#writing?.cancel();
    this.#canvas.width = 0;
    this.#canvas.height = 0;
  }

  #hasLeft(): boolean {
    return this.#leaving.signal.aborted;
  }

  async #paint(page: PDFPageProxy, scale: number): Promise<void> {
    const wanted = page.getViewport({ scale: scale * PIXELS_PER_POINT * window.devicePixelRatio });
    const shrink = Math.min(1, Math.sqrt(CANVAS_MAX_PIXELS / Math.max(1, wanted.width * wanted.height)));
    const viewport = wanted.clone({ scale: wanted.scale * shrink });
    this.#canvas.width = Math.max(1, Math.floor(viewport.width));
    this.#canvas.height = Math.max(1, Math.floor(viewport.height));
    this.#drawing = page.render({ canvas: this.#canvas, viewport });
    await this.#drawing.promise;
  }

  async #write(page: PDFPageProxy, scale: number): Promise<void> {
    const viewport = page.getViewport({ scale: scale * PIXELS_PER_POINT });
    const content = await page.getTextContent();
    if (this.#hasLeft()) return;
    this.#layer.replaceChildren();
    this.#writing = new TextLayer({ textContentSource: content, container: this.#layer, viewport });
    await this.#writing.render();
    this.letters = this.#writing.textDivs;
  }
}

interface LinkAnnotation {
  subtype: string;
  rect: readonly number[];
  url?: string;
  dest?: unknown;
}

/** Links to the web, to mail and within the file. Whatever else an annotation would do, run or open, it does not. */
function linksOf(page: PDFPageProxy, annotations: readonly unknown[]): DrawnLink[] {
  const viewport = page.getViewport({ scale: 1 });
  return annotations.filter(isLink).slice(0, LINKS_MAX).flatMap(({ rect, url, dest }) => {
    const href = url === undefined ? null : safe(url);
    const leads = url === undefined ? dest !== undefined && dest !== null : href !== null;
    return leads ? [{ href, destination: dest, ...placeOf(rect, viewport) }] : [];
  });
}

function placeOf(rect: readonly number[], viewport: ReturnType<PDFPageProxy["getViewport"]>): Pick<DrawnLink, "left" | "top" | "width" | "height"> {
  const corner = (at: 0 | 2) => viewport.convertToViewportPoint(rect[at] ?? 0, rect[at + 1] ?? 0) as [number, number];
  const [[x1, y1], [x2, y2]] = [corner(0), corner(2)];
  const { width, height } = viewport;
  return { left: Math.min(x1, x2) / width, top: Math.min(y1, y2) / height, width: Math.abs(x2 - x1) / width, height: Math.abs(y2 - y1) / height };
}

function safe(url: string): string | null {
  return URL.canParse(url) && /^(https?|mailto):$/.test(new URL(url).protocol) ? new URL(url).href : null;
}

function isLink(value: unknown): value is LinkAnnotation {
  return typeof value === "object" && value !== null && "subtype" in value && value.subtype === "Link" && "rect" in value && Array.isArray(value.rect);
}
