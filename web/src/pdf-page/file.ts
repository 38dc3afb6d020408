/** One open PDF: its pages, their sizes and their words. It is read in a worker, which ends with it. */
import { getDocument, GlobalWorkerOptions, InvalidPDFException, PasswordException, PDFWorker, type PDFDocumentProxy, type PDFPageProxy, VerbosityLevel, version } from "pdfjs-dist";
import workerAddress from "pdfjs-dist/build/pdf.worker.min.mjs?url";
import { type PageText, textOf } from "./finding";

/** Pixels of the page for each point of a PDF at 100 %. */
export const PIXELS_PER_POINT = 96 / 72;
/** Where the build puts the fonts, character maps and decoders of pdf.js. */
const PARTS = `/assets/pdfjs-${version}/`;
const IMAGE_MAX_PIXELS = 64_000_000;
const HEADINGS_MAX = 1_000;
const DEEPEST = 6;
const CANVAS_MAX_BYTES = 256_000_000;

export type PdfFailure = "broken" | "locked" | "empty";

export class PdfRefused extends Error {
  constructor(readonly failure: PdfFailure, options?: ErrorOptions) {
    super(failure, options);
  }
}

export interface PageSize {
  width: number;
  height: number;
}

interface Heading {
  title: string;
  depth: number;
  line: number;
}

interface OutlineItem {
  title: string;
  dest: unknown;
  items: readonly OutlineItem[];
}

export class PdfFile {
  readonly #document: PDFDocumentProxy;
  readonly #worker: PDFWorker;
  readonly #texts = new Map<number, Promise<PageText>>();

  private constructor(document: PDFDocumentProxy, worker: PDFWorker) {
    this.#document = document;
    this.#worker = worker;
  }

  /** Reads a file. Fails with a PdfRefused. */
  static async open(bytes: Uint8Array): Promise<PdfFile> {
    GlobalWorkerOptions.workerSrc = workerAddress;
    const worker = PDFWorker.create({});
    const reading = getDocument({
      data: bytes,
      worker,
      verbosity: VerbosityLevel.ERRORS,
      // Our policy allows no WebAssembly: the decoders come as plain scripts, from this address.
      useWasm: false,
      wasmUrl: `${PARTS}wasm/`,
      cMapUrl: `${PARTS}cmaps/`,
      cMapPacked: true,
      standardFontDataUrl: `${PARTS}standard_fonts/`,
      useSystemFonts: false,
      enableXfa: false,
      disableWorkerRendering: true,
      maxImageSize: IMAGE_MAX_PIXELS,
      canvasMaxAreaInBytes: CANVAS_MAX_BYTES,
    });
    try {
      const document = await reading.promise;
      if (document.numPages < 1) throw new PdfRefused("empty");
      return new PdfFile(document, worker);
    } catch (error) {
      await reading.destroy();
      worker.destroy();
      throw refusalOf(error);
    }
  }

  get pageCount(): number {
    return this.#document.numPages;
  }

  /** A page by its number, from 1. */
  page(number: number): Promise<PDFPageProxy> {
    return this.#document.getPage(number);
  }

  /** How large a page is at 100 %. */
  async sizeOf(number: number): Promise<PageSize> {
    const { width, height } = (await this.page(number)).getViewport({ scale: PIXELS_PER_POINT });
    return { width, height };
  }

  /** The words of a page, read once. */
  text(number: number): Promise<PageText> {
    const known = this.#texts.get(number);
    if (known) return known;
    const reading = this.page(number).then(async (page) => textOf(await page.getTextContent()));
    this.#texts.set(number, reading);
    return reading;
  }

  /** The page that a link inside the file leads to; null when it leads nowhere. */
  async pageOf(destination: unknown): Promise<number | null> {
    const explicit: unknown = typeof destination === "string" ? await this.#document.getDestination(destination) : destination;
    const target: unknown = Array.isArray(explicit) ? explicit[0] : null;
    if (typeof target === "number") return this.#within(target + 1);
    if (!isReference(target)) return null;
    try {
      return this.#within((await this.#document.getPageIndex(target)) + 1);
    } catch (error) {
      // pdf.js says so of a reference to what is no page.
      if (error instanceof Error) return null;
      throw error;
    }
  }

  /** The file's own table of contents; a heading's line is its page. */
  async outline(): Promise<Heading[]> {
    const found: Heading[] = [];
    const walk = async (items: readonly OutlineItem[], depth: number): Promise<void> => {
      for (const { title, dest, items: inner } of items) {
        if (found.length >= HEADINGS_MAX) return;
        const line = await this.pageOf(dest);
        if (line !== null) found.push({ title, depth, line });
        if (depth < DEEPEST) await walk(inner, depth + 1);
      }
    };
    const items: readonly OutlineItem[] | null = await this.#document.getOutline();
    // pdf.js answers null for a file that has none, whatever its types say.
    if (items as unknown) await walk(items, 1);
    return found;
  }

  async close(): Promise<void> {
    await this.#document.loadingTask.destroy();
    this.#worker.destroy();
  }

  #within(number: number): number | null {
    return Number.isInteger(number) && number >= 1 && number <= this.pageCount ? number : null;
  }
}

function refusalOf(error: unknown): unknown {
  if (error instanceof PasswordException) return new PdfRefused("locked", { cause: error });
  if (error instanceof InvalidPDFException) return new PdfRefused("broken", { cause: error });
  // What is wrong inside a file arrives from the worker by its name alone.
  if (error instanceof Error && /^(UnknownErrorException|FormatError|XRefEntryException|ResponseException)$/.test(error.name)) return new PdfRefused("broken", { cause: error });
  return error;
}

function isReference(value: unknown): value is { num: number; gen: number } {
  return typeof value === "object" && value !== null && "num" in value && "gen" in value;
}
