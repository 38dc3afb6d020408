/** Where the pages of a PDF stand under each other, and which of them show. */

export interface PdfPageSize {
  width: number;
  height: number;
}

/** A place in the file that stays where it is when sizes change: a page, and how far down in it. */
export interface PdfPlace {
  page: number;
  part: number;
}

const GAP = 16;
/** Browsers cut off what is longer. */
const LONGEST = 30_000_000;

export class PdfLayout {
  readonly scale: number;
  readonly #sizes: readonly PdfPageSize[];
  readonly #tops: Float64Array;
  readonly width: number;

  /** The sizes are those at 100 %. */
  constructor(sizes: readonly PdfPageSize[], scale: number) {
    const whole = sizes.reduce((sum, { height }) => sum + height, 0);
    this.scale = Math.min(scale, (LONGEST - GAP * sizes.length) / Math.max(1, whole));
    this.#sizes = sizes;
    this.#tops = new Float64Array(sizes.length + 1);
    let width = 0;
    for (const [index, size] of sizes.entries()) {
      this.#tops[index + 1] = (this.#tops[index] ?? 0) + size.height * this.scale + GAP;
      width = Math.max(width, size.width * this.scale);
    }
    this.width = width;
  }

  get height(): number {
    return this.#tops[this.#sizes.length] ?? 0;
  }

  /** Where a page stands, by its number from 1. */
  boxOf(page: number): { top: number; width: number; height: number } {
    const { width, height } = this.#sizes[page - 1] ?? { width: 0, height: 0 };
    return { top: this.#tops[page - 1] ?? 0, width: width * this.scale, height: height * this.scale };
  }

  pageAt(y: number): number {
    let [low, high] = [0, this.#sizes.length - 1];
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      if ((this.#tops[middle] ?? 0) <= y) low = middle;
      else high = middle - 1;
    }
    return low + 1;
  }

  /** The pages that show, and one before and behind. */
  showing(top: number, height: number): number[] {
    const first = Math.max(1, this.pageAt(top) - 1);
    const last = Math.min(this.#sizes.length, this.pageAt(top + height) + 1);
    return Array.from({ length: Math.max(0, last - first + 1) }, (_, index) => first + index);
  }

  placeAt(y: number): PdfPlace {
    const page = this.pageAt(y);
    const { top, height } = this.boxOf(page);
    return { page, part: height === 0 ? 0 : (y - top) / height };
  }

  yOf({ page, part }: PdfPlace): number {
    const { top, height } = this.boxOf(page);
    return top + part * height;
  }
}
