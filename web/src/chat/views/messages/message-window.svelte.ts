/**
 * The part of a long conversation that is in the page. Messages far from the window are taken out, and the room they took is
 * kept; what somebody reads stays where it is, whatever comes, goes or grows around it.
 */
import { tick } from "svelte";
import type { AnswerItem, Item } from "../../state/chat-items";
import { Heights } from "./heights";
import { inSight, nextPlaces, placesOf, type Places, type Row, rowsOf, type Span } from "./message-rows";
import { followsAfter, scrolledOf } from "./stay-at-end";

/** What was opened or is being written in a message would be lost if it went. */
const IN_USE = ".edit-message, [data-in-use], .summary-card, details[open], .bubble-more[aria-expanded='true']";
/** Near enough to the beginning to read on. */
const NEAR_START = 600;
/** So many messages out of sight are kept for what is opened or selected in them. */
const MOST_HELD = 100;

/** Something in the page, where its top stood in the window, and how far the view was scrolled then. */
interface Mark {
  element: Element;
  key: string;
  top: number;
  scrollTop: number;
}

export class MessageWindow {
  /** The view stays at the end, whatever comes. */
  follows = $state(true);
  /** Null before anybody has scrolled: the end. */
  #span = $state.raw<Span | null>(null);
  #held = $state.raw<ReadonlySet<string>>(new Set());
  readonly #heights = new Heights();
  readonly #messages = new Map<Element, string>();
  readonly #sizes = new ResizeObserver((entries) => { this.#measured(entries); });
  #scroller: HTMLElement | null = null;
  #list: HTMLElement | null = null;
  readonly #onNearStart: () => void;
  #mark: Mark | null = null;
  #last = { scrollTop: 0, clientHeight: 0, scrollHeight: 0 };
  /** Where this put the view itself. */
  #put = -1;
  #frame = 0;

  constructor(onNearStart: () => void) {
    this.#onNearStart = onNearStart;
  }

  /** What stands in the page, of the messages so far and the answer that is being written. */
  rows(items: readonly Item[], now: AnswerItem | null): Row[] {
    this.#heights.take(items);
    return rowsOf(items, this.#heights, this.#places(), this.#held, now);
  }

  /** Takes the view that scrolls. */
  readonly scrolls = (scroller: HTMLElement): (() => void) => {
    this.#scroller = scroller;
    this.#sizes.observe(scroller);
    return () => {
      this.#sizes.disconnect();
      cancelAnimationFrame(this.#frame);
      this.#scroller = null;
    };
  };

  /** Takes the element whose children the rows are. */
  readonly lists = (list: HTMLElement): (() => void) => {
    this.#list = list;
    return () => { this.#list = null; };
  };

  /** Takes what holds the list and what stands around it. */
  readonly holds = (column: HTMLElement): (() => void) => {
    this.#sizes.observe(column);
    return () => { this.#sizes.unobserve(column); };
  };

  /** Takes a message as it comes into the page. Its height is heard of, not asked for. */
  message(key: string): (element: HTMLElement) => () => void {
    return (element) => {
      this.#messages.set(element, key);
      this.#sizes.observe(element);
      return () => {
        this.#sizes.unobserve(element);
        this.#messages.delete(element);
      };
    };
  }

  /** Somebody scrolled, or the view was put somewhere. */
  scrolled(): void {
    if (!this.#scroller) return;
    const now = scrolledOf(this.#scroller);
    const isMoved = now.scrollTop !== this.#put;
    this.follows = followsAfter(this.follows, this.#last, now);
    // What came in above since the last look has moved what is read: that comes before what somebody scrolled.
    if (this.follows) this.#mark = null;
    this.#stay();
    this.#last = scrolledOf(this.#scroller);
    if (isMoved) this.#note();
    this.#look();
    if (this.#last.scrollTop < NEAR_START) this.#onNearStart();
  }

  /** Rows have come or gone: what is read stands where it stood, before anything else happens in the page. */
  changed(): void {
    if (!this.follows) this.#stay();
  }

  toEnd(): void {
    this.follows = true;
    this.#mark = null;
    this.#span = null;
    this.#keep();
    // The messages of the end may only be coming in.
    void tick().then(() => { this.#keep(); });
  }

  /** Shows the very beginning of what is there. */
  async toStart(): Promise<void> {
    const seen = this.#scroller?.clientHeight ?? 0;
    this.follows = false;
    this.#mark = null;
    this.#move(inSight(this.#heights, 0, seen));
    await tick();
    this.#putAt(0);
    this.#note();
  }

  /** Brings a message into the page, wherever it is, and gives its element. */
  async bring(key: string): Promise<HTMLElement | null> {
    const place = this.#heights.placeOf(key);
    this.follows = false;
    if (place >= 0) {
      const top = this.#heights.startOf(place);
      this.#move(inSight(this.#heights, top, top + (this.#scroller?.clientHeight ?? 0)));
    }
    await tick();
    const element = this.#elementOf(key);
    const room = this.#scroller;
    if (element && room) this.#putAt(room.scrollTop + element.getBoundingClientRect().top - room.getBoundingClientRect().top);
    this.#note();
    return element;
  }

  /** From where to where messages are in the page. */
  #places(): Places {
    if (this.#span) return placesOf(this.#span, this.#heights);
    const { total, count } = this.#heights;
    return { ...inSight(this.#heights, total, total), to: count };
  }

  #measured(entries: readonly ResizeObserverEntry[]): void {
    for (const { target, borderBoxSize } of entries) {
      const key = this.#messages.get(target);
      if (key !== undefined && borderBoxSize[0]) this.#heights.note(key, borderBoxSize[0].blockSize);
    }
    this.#keep();
    this.#look();
    if (this.#scroller && this.#scroller.scrollTop < NEAR_START) this.#onNearStart();
  }

  /** Puts the view back to where it was: at the end, or at what was read. */
  #keep(): void {
    const scroller = this.#scroller;
    if (!scroller) return;
    if (this.follows) this.#putAt(scroller.scrollHeight);
    else this.#stay();
  }

  /** Puts what is read back to where it stood. */
  #stay(): void {
    const [scroller, mark] = [this.#scroller, this.#mark];
    const element = mark && (mark.element.isConnected ? mark.element : this.#elementOf(mark.key));
    if (!scroller || !element) return;
    mark.top -= this.#scrolledSince(mark);
    const moved = topIn(scroller, element) - mark.top;
    if (Math.abs(moved) >= 0.5) this.#putAt(scroller.scrollTop + moved);
    mark.scrollTop = scroller.scrollTop;
  }

  /** How far somebody has scrolled that was not told yet. What has become shorter pulls the view up by itself. */
  #scrolledSince({ scrollTop }: Mark): number {
    if (!this.#scroller) return 0;
    const now = scrolledOf(this.#scroller);
    const isPulledUp = now.scrollTop < scrollTop && now.scrollHeight < this.#last.scrollHeight && now.scrollTop + now.clientHeight >= now.scrollHeight - 1;
    return isPulledUp ? 0 : now.scrollTop - scrollTop;
  }

  #putAt(top: number): void {
    if (!this.#scroller) return;
    this.#scroller.scrollTop = top;
    this.#last = scrolledOf(this.#scroller);
    this.#put = this.#last.scrollTop;
  }

  /** Notes what is read now: the first block in sight, so that what changes above it can be made up for. */
  #note(): void {
    const scroller = this.#scroller;
    if (!scroller || this.follows) return;
    const view = scroller.getBoundingClientRect();
    for (const [element, key] of this.#inOrder()) {
      const { top, bottom } = element.getBoundingClientRect();
      if (bottom <= view.top) continue;
      // What is below the window goes when what belongs in it has come.
      if (top >= view.bottom) break;
      const block = blockIn(element, scroller);
      this.#mark = { element: block, key, top: topIn(scroller, block), scrollTop: scroller.scrollTop };
      return;
    }
    // A jump to where nothing is yet: what will come there is what is read.
    const place = this.#heights.at(scroller.scrollTop - this.#listTop());
    const key = this.#keyAt(place);
    if (key !== null && this.#list) this.#mark = { element: document.createElement("i"), key, top: this.#listTop() + this.#heights.startOf(place) - scroller.scrollTop, scrollTop: scroller.scrollTop };
  }

  #inOrder(): [Element, string][] {
    return [...(this.#list?.children ?? [])].flatMap((element) => {
      const key = this.#messages.get(element);
      return key === undefined ? [] : [[element, key] as [Element, string]];
    });
  }

  /** Has what is near the window in the page, some messages at a time. */
  #look(): void {
    const scroller = this.#scroller;
    if (!scroller || this.#heights.count === 0) return;
    const top = scroller.scrollTop - this.#listTop();
    const next = nextPlaces(this.#places(), this.#heights, top, top + scroller.clientHeight);
    if (!next) return;
    this.#move(next);
    this.#frame ||= requestAnimationFrame(() => {
      this.#frame = 0;
      this.#look();
    });
  }

  #move(next: Places): void {
    this.#hold(next);
    this.#span = { from: this.#keyAt(next.from), to: next.to >= this.#heights.count ? null : this.#keyAt(next.to - 1) };
  }

  /** Keeps messages that somebody has opened, writes in or has selected. */
  #hold({ from, to }: Places): void {
    const held = new Set<string>();
    for (const [element, key] of this.#messages) {
      const place = this.#heights.placeOf(key);
      if (place < 0 || (place >= from && place < to) || held.size >= MOST_HELD) continue;
      if (isInUse(element)) held.add(key);
    }
    if (held.size > 0 || this.#held.size > 0) this.#held = held;
  }

  #keyAt(place: number): string | null {
    return this.#heights.keyAt(place);
  }

  #elementOf(key: string): HTMLElement | null {
    return this.#list?.querySelector<HTMLElement>(`[data-key="${CSS.escape(key)}"]`) ?? null;
  }

  /** Where the list begins in what scrolls. */
  #listTop(): number {
    const [scroller, list] = [this.#scroller, this.#list];
    return scroller && list ? topIn(scroller, list) + scroller.scrollTop : 0;
  }
}

/** Somebody has opened it, writes in it or has selected a part of it. */
function isInUse(element: Element): boolean {
  const selection = document.getSelection();
  const isSelected = selection !== null && !selection.isCollapsed && selection.containsNode(element, true);
  return isSelected || element.contains(document.activeElement) || element.querySelector(IN_USE) !== null;
}

function topIn(scroller: Element, element: Element): number {
  return element.getBoundingClientRect().top - scroller.getBoundingClientRect().top;
}

/** The block of a long answer at the top of the window; a message that begins in sight is one itself. */
function blockIn(message: Element, scroller: Element): Element {
  const top = scroller.getBoundingClientRect().top;
  if (message.getBoundingClientRect().top >= top) return message;
  const parts = [...message.querySelectorAll(".answer")];
  const blocks = [...(parts.find((part) => part.getBoundingClientRect().bottom > top)?.children ?? [])];
  let low = 0;
  let high = blocks.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((blocks[middle]?.getBoundingClientRect().bottom ?? 0) > top) high = middle;
    else low = middle + 1;
  }
  return blocks[low] ?? message;
}
