import { expect, test } from "vitest";
import { userEntry } from "../../../fakes/fake-chats";
import { itemsOf } from "../../state/chat-items";
import { GAP } from "./heights";
import { MessageWindow } from "./message-window.svelte";

const SEEN = 400;
/** A message of one line, as its height is guessed. */
const MESSAGE = 64;
const STEP = MESSAGE + GAP;

/** A view of such messages, laid out by hand: nothing here is told of sizes, as between two pictures. */
class LaidOut {
  readonly scroller = document.createElement("div");
  readonly list = document.createElement("div");
  readonly view = new MessageWindow(() => undefined);
  readonly keys: readonly string[];
  readonly #heights = new Map<Element, number>();
  #top = 0;

  constructor(count: number, from = 0) {
    this.scroller.append(this.list);
    document.body.append(this.scroller);
    Object.defineProperty(this.scroller, "clientHeight", { value: SEEN });
    Object.defineProperty(this.scroller, "scrollHeight", { get: () => this.#startOf(null) - GAP });
    Object.defineProperty(this.scroller, "scrollTop", { get: () => Math.min(this.#top, this.end), set: (top: number) => { this.#top = Math.min(top, this.end); } });
    this.scroller.getBoundingClientRect = () => new DOMRect(0, 0, 600, SEEN);
    this.list.getBoundingClientRect = () => new DOMRect(0, -this.scroller.scrollTop, 600, this.#startOf(null));
    this.view.scrolls(this.scroller);
    this.view.lists(this.list);
    const items = itemsOf(Array.from({ length: count }, (_, at) => userEntry(at + 1, "Words", { turnId: `t${String(at)}` })));
    this.view.rows(items, null);
    this.keys = items.map(({ key }) => key);
    if (from > 0) this.put(from * STEP - GAP, null);
    for (const key of this.keys.slice(from)) this.show(key, null);
    this.scrollTo(this.end);
  }

  get end(): number {
    return this.scroller.scrollHeight - SEEN;
  }

  /** Something of a height comes in before another. */
  put(height: number, before: Element | null): HTMLElement {
    const element = document.createElement("div");
    this.#heights.set(element, height);
    element.getBoundingClientRect = () => new DOMRect(0, this.#startOf(element) - this.scroller.scrollTop, 600, this.#heights.get(element));
    this.list.insertBefore(element, before);
    return element;
  }

  /** A message comes in before something. */
  show(key: string, before: Element | null): void {
    const element = this.put(MESSAGE, before);
    element.dataset.key = key;
    this.view.message(key)(element);
  }

  resize(element: Element, height: number): void {
    this.#heights.set(element, height);
  }

  scrollTo(top: number): void {
    this.scroller.scrollTop = top;
    this.view.scrolled();
  }

  #startOf(element: Element | null): number {
    const all = [...this.list.children];
    return all.slice(0, element ? all.indexOf(element) : all.length).reduce((sum, one) => sum + (this.#heights.get(one) ?? 0) + GAP, 0);
  }
}

test("what is read stays when earlier messages come in above it, before the next picture", () => {
  const page = new LaidOut(50);
  page.scrollTo(600);
  page.put(7339, page.list.firstElementChild);
  page.view.changed();
  expect(page.scroller.scrollTop).toBe(600 + 7339 + GAP);
});

test("whoever scrolls on while they come in goes on from what they saw, however often", () => {
  const page = new LaidOut(50);
  page.scrollTo(600);
  const room = page.put(7339, page.list.firstElementChild);
  page.scrollTo(600 - 50);
  expect(page.scroller.scrollTop).toBe(550 + 7339 + GAP);
  page.resize(room, 5000);
  page.scrollTo(page.scroller.scrollTop + 30);
  page.view.changed();
  expect(page.scroller.scrollTop).toBe(580 + 5000 + GAP);
});

test("whoever jumps to where nothing is yet reads what comes there, and that stays", () => {
  const page = new LaidOut(100, 60);
  page.scrollTo(1000);
  const [room] = page.list.children;
  if (!room) throw new Error("There is no room.");
  const place = Math.floor(1000 / STEP);
  page.resize(room, place * STEP - GAP);
  for (const gone of [...page.list.children].slice(1)) gone.remove();
  page.show(page.keys[place] ?? "", null);
  page.put((100 - place - 1) * STEP - GAP, null);
  page.view.changed();
  expect(page.scroller.scrollTop).toBe(1000);
  page.resize(room, place * STEP - GAP + 7339);
  page.view.changed();
  expect(page.scroller.scrollTop).toBe(1000 + 7339);
});

test("what has become shorter pulls the view up: nobody has scrolled", () => {
  const page = new LaidOut(50);
  const [first] = page.list.children;
  if (!first) throw new Error("There is no message.");
  page.resize(first, MESSAGE + 1000);
  const { end } = page;
  page.scrollTo(end);
  page.scrollTo(end - 100);
  page.resize(first, MESSAGE);
  page.view.changed();
  expect(page.scroller.scrollTop).toBe(end - 1100);
});

test("what was read before the end was followed again is forgotten", () => {
  const page = new LaidOut(50);
  page.scrollTo(600);
  page.scrollTo(page.end);
  page.put(7339, page.list.firstElementChild);
  page.scrollTo(page.end);
  page.scrollTo(page.end - 200);
  expect([page.view.follows, page.scroller.scrollTop]).toEqual([false, page.end - 200]);
});
