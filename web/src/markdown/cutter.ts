/**
 * Cuts a growing text into segments that can be rendered one by one: no later line changes how an earlier
 * segment reads. It looks at whole lines only, and keeps together what it is not sure of.
 */

/** What a line means for the segment it belongs to. */
export interface Cut {
  /** The line is the first of a new segment. */
  starts: boolean;
  /** The line is the last of its segment. */
  ends: boolean;
}

interface Fence {
  mark: string;
  indent: number;
}

const BLANK = /^[ \t]*$/;
const FENCE = /^( {0,3})(`{3,}(?=[^`]*$)|~{3,})/;
const HEADING = /^#{1,6}(?:[ \t]|$)/;
const RULE = /^ {0,3}(?:(?:-[ \t]*){3,}|(?:_[ \t]*){3,}|(?:\*[ \t]*){3,})$/;
const ITEM = /^( {0,3}(?:[*+-]|\d{1,9}[.)]))([ \t]+|$)/;

export class Cutter {
  #fence: Fence | null = null;
  #afterBlank = false;
  #isFresh = true;
  /** The column at which the content of the latest list item starts; 0 outside lists. */
  #content = 0;

  /** Whether the next line is code of an open fence. */
  get isInCode(): boolean {
    return this.#fence !== null;
  }

  /** The same, and the lines are shown just as they come: no indent is taken off them. */
  get isInPlainCode(): boolean {
    return this.#fence?.indent === 0;
  }

  take(line: string): Cut {
    if (this.#fence) return this.#takeCode(line, this.#fence);
    if (BLANK.test(line)) {
      this.#afterBlank = true;
      return { starts: false, ends: false };
    }
    const fence = this.#fenceOf(line);
    const isHeading = HEADING.test(line);
    const starts = this.#isFresh || fence !== null || isHeading || this.isApart(line);
    if (starts) this.#content = 0;
    this.#fence = fence;
    this.#isFresh = isHeading;
    this.#afterBlank = false;
    if (!fence) this.#noteItem(line);
    return { starts, ends: isHeading };
  }

  #takeCode(line: string, fence: Fence): Cut {
    const ends = closes(line, fence.mark);
    if (ends) this.#fence = null;
    this.#isFresh = ends;
    return { starts: false, ends };
  }

  /** A fence that stands by itself, not inside a list item. */
  #fenceOf(line: string): Fence | null {
    const [, indent = "", mark] = FENCE.exec(line) ?? [];
    if (!mark || (this.#content > 0 && !this.#isFresh && indent.length >= this.#content)) return null;
    return { mark, indent: indent.length };
  }

  /**
   * Whether a line surely starts a segment: after a blank line, one at the margin goes with what is above only if both
   * are items of a list. Holds for the beginning of a line too, once it is decided what it is.
   */
  isApart(line: string): boolean {
    if (!this.#afterBlank || /^[ \t]/.test(line)) return false;
    return this.#content === 0 || !isItem(line);
  }

  #noteItem(line: string): void {
    if (line.startsWith(">") || RULE.test(line)) this.#content = 0;
    const [, marker = "", gap = ""] = isItem(line) ? (ITEM.exec(line) ?? []) : [];
    const indent = marker.length - marker.trimStart().length;
    if (!marker || (this.#content > 0 && indent >= this.#content)) return;
    const rest = columnAfter(marker.length, gap) - marker.length;
    this.#content = marker.length + (rest < 1 || rest > 4 ? 1 : rest);
  }
}

/** Whether a line ends the code that a fence opened. */
function closes(line: string, mark: string): boolean {
  const [, found = ""] = /^ {0,3}(`+|~+) *$/.exec(line) ?? [];
  return found.startsWith(mark);
}

/**
 * Whether a line that is not complete yet may turn into something quite different: a rule, an item, an underline,
 * a heading, a fence. Until it shows, it is not rendered, so that nothing jumps.
 */
export function isUndecided(line: string): boolean {
  return /^ {0,3}(?:[-=*+_|>#:]+|\d{1,9}[.)]?|[`~]+|\[[^\]]*\]?:?)?[ \t]*$/.test(line);
}

/** Whether a line of code that is not complete yet may turn out to be the end of the code. */
export function mayClose(line: string): boolean {
  return /^ {0,3}[`~]+ *$/.test(line);
}

function isItem(line: string): boolean {
  return ITEM.test(line) && !RULE.test(line);
}

function columnAfter(column: number, gap: string): number {
  for (const space of gap) column = space === "\t" ? (Math.floor(column / 4) + 1) * 4 : column + 1;
  return column;
}
