/**
 * Parses Markdown section by section, so that a key press in a long text costs its section and no walk over all blocks.
 * A text is cut before a heading, or before a paragraph after a blank line, unless a block is still open there. The tree is
 * the one that Markdown's own parser makes of the whole text: sections are only groups without a name in it.
 */
import { type Input, NodeType, Parser, type PartialParse, Tree, TreeFragment } from "@lezer/common";
import type { MarkdownParser } from "@lezer/markdown";

/** A section is at least this long, unless one began behind it before. */
const LENGTH = 3000;
/** How much text is looked through for a cut at a time. */
const LOOK = 4096;
/** What must be read around a place to know that it is a cut. */
const [BEFORE, AFTER] = [2, 8];
const CUT = /\n(?:(?=#{1,6}[ \t\n])|\n(?=\p{L}))/gu;
/** Blocks that may go on behind a blank line or a heading. */
const MAY_GO_ON = new Set(["FencedCode", "HTMLBlock", "CommentBlock", "ProcessingInstructionBlock", "FrontMatter", "BlockMath"]);

interface Section {
  start: number;
  /** What the parser made of it. */
  parsed: Tree;
  /** Its blocks, as a group without a name. */
  group: Tree;
  /** Nothing that follows it can change it. */
  isClosed: boolean;
}

/** The sections of each tree that was made here. */
const sectionsOf = new WeakMap<Tree, readonly Section[]>();

export class SectionParser extends Parser {
  readonly #markdown: MarkdownParser;

  constructor(markdown: MarkdownParser) {
    super();
    this.#markdown = markdown;
  }

  createParse(input: Input, fragments: readonly TreeFragment[], ranges: readonly { from: number; to: number }[]): PartialParse {
    const isWhole = ranges.length === 1 && ranges[0]?.from === 0 && ranges[0].to === input.length && input.length > 0;
    return isWhole ? new SectionParse(this.#markdown, input, fragments) : this.#markdown.startParse(input, fragments, ranges);
  }
}

/** The trees that make up a tree between two places, each with its start: sections, where it has some. */
export function partsIn(tree: Tree, from: number, to: number): readonly { tree: Tree; start: number }[] {
  const sections = sectionsOf.get(tree);
  if (!sections) return [{ tree, start: 0 }];
  return sections.slice(Math.max(0, indexAt(sections, from)), indexAt(sections, to) + 1).map(({ parsed, start }) => ({ tree: parsed, start }));
}

class SectionParse implements PartialParse {
  stoppedAt: number | null = null;
  readonly #markdown: MarkdownParser;
  readonly #input: Input;
  readonly #fragments: readonly TreeFragment[];
  readonly #sections: Section[] = [];
  #at = 0;

  constructor(markdown: MarkdownParser, input: Input, fragments: readonly TreeFragment[]) {
    this.#markdown = markdown;
    this.#input = input;
    this.#fragments = fragments;
  }

  get parsedPos(): number {
    return this.#at;
  }

  stopAt(pos: number): void {
    this.stoppedAt = Math.min(this.stoppedAt ?? pos, pos);
  }

  /** Takes over what has not changed, then parses one section; the tree once all are there. */
  advance(): Tree | null {
    const end = this.stoppedAt ?? this.#input.length;
    for (let known = this.#unchanged(end); known; known = this.#unchanged(end)) this.#add(known);
    if (this.#at < end) this.#add(this.#parse(end));
    return this.#at < end ? null : this.#finish(end);
  }

  #add(section: Section): void {
    this.#sections.push(section);
    this.#at = section.start + section.group.length;
  }

  #finish(end: number): Tree {
    const { type } = (this.#sections[0] as Section).parsed;
    const tree = new Tree(type, this.#sections.map(({ group }) => group), this.#sections.map(({ start }) => start), end)
      .balance({ makeTree: (children, positions, length) => new Tree(NodeType.none, children, positions, length) });
    sectionsOf.set(tree, this.#sections);
    return tree;
  }

  /** The section that stood here before, if neither it nor its end has changed. */
  #unchanged(end: number): Section | null {
    const start = this.#at;
    const found = this.#knownFrom(start);
    if (!found?.section.isClosed) return null;
    const to = start + found.section.group.length;
    if (to > Math.min(found.fragment.to, end)) return null;
    const isSame = to + AFTER <= found.fragment.to || to === this.#input.length || this.#isCut(to);
    if (!isSame) return null;
    return found.section.start === start ? found.section : { ...found.section, start };
  }

  /** A former section that begins at this place, and the fragment it is known by. */
  #knownFrom(at: number): { fragment: TreeFragment; section: Section } | null {
    for (const fragment of this.#fragments) {
      if (fragment.from > at || fragment.to <= at) continue;
      const sections = sectionsOf.get(fragment.tree) ?? [];
      const section = sections[indexAt(sections, at + fragment.offset)];
      if (section?.start === at + fragment.offset) return { fragment, section };
    }
    return null;
  }

  #isCut(at: number): boolean {
    const from = Math.max(0, at - BEFORE);
    const text = this.#input.read(from, Math.min(this.#input.length, at + AFTER));
    return [...text.matchAll(CUT)].some((cut) => from + cut.index + cut[0].length === at);
  }

  /** Parses from here up to the first cut at which nothing is open. */
  #parse(end: number): Section {
    const start = this.#at;
    let cut = start;
    for (;;) {
      cut = this.#nextCut(start, cut, end);
      const parsed = this.#markdown.parse(this.#input, this.#fragmentsIn(start, cut), [{ from: start, to: cut }]);
      const isClosed = cut === this.#input.length || (cut < end && !goesOn(parsed));
      if (isClosed || cut === end) return { start, parsed, group: new Tree(NodeType.none, parsed.children, parsed.positions, cut - start), isClosed };
    }
  }

  /** The first place to cut after one, far enough from the section's start or where a section began before. */
  #nextCut(start: number, after: number, end: number): number {
    for (let from = after; from < end; from += LOOK) {
      const text = this.#input.read(from, Math.min(this.#input.length, from + LOOK + BEFORE + AFTER));
      for (const cut of text.matchAll(CUT)) {
        const at = from + cut.index + cut[0].length;
        if (at > after && at < end && (at - start >= LENGTH || this.#knownFrom(at))) return at;
      }
    }
    return end;
  }

  /** What is known of a stretch of text, by the trees of the sections that stood there. */
  #fragmentsIn(start: number, end: number): TreeFragment[] {
    const found: TreeFragment[] = [];
    for (const { tree, offset, ...fragment } of this.#fragments) {
      const [first, last] = [Math.max(fragment.from, start), Math.min(fragment.to, end)];
      const sections = sectionsOf.get(tree) ?? [];
      for (const section of sections.slice(Math.max(0, indexAt(sections, first + offset)))) {
        if (section.start - offset >= last) break;
        const [from, to] = [section.start - offset, section.start - offset + section.parsed.length];
        if (to > first) found.push(new TreeFragment(Math.max(from, first), Math.min(to, last), section.parsed, offset - section.start, from < first, to > last || !section.isClosed));
      }
    }
    return found;
  }
}

/** The last section that starts at or before a place; -1 if there is none. */
function indexAt(sections: readonly Section[], at: number): number {
  let [low, high] = [0, sections.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((sections[middle]?.start ?? Infinity) <= at) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

/** Whether the last block of a section reaches its end and may not be over. */
function goesOn(parsed: Tree): boolean {
  const last = parsed.topNode.lastChild;
  return last !== null && MAY_GO_ON.has(last.name) && parsed.length - last.to < 2;
}
