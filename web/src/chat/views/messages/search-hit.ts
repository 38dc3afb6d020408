/** Shows a place in a conversation: the message, and in it the words that led there. */

const NAME = "recto-found";
/** How far down the place is shown, as a part of the height. */
const AT = 0.3;
/** For so long a place is followed that others push away. */
const FRAMES = 20;

/** Scrolls to the first of some words in a message, or to its top, and marks them where the browser can. */
export function showFound(scroller: HTMLElement, message: HTMLElement, words: readonly string[]): void {
  const ranges = rangesOf(message, words);
  // jsdom and some older browsers can't mark; the place shows all the same.
  if ("highlights" in CSS) CSS.highlights.set(NAME, new Highlight(...ranges));
  bringThere(scroller, ranges[0] ?? message, ranges.length > 0 ? AT : 0, FRAMES);
}

/** Messages that were never in view have a guessed height: as they come in, the place moves, and is followed for some frames. */
function bringThere(scroller: HTMLElement, place: Range | HTMLElement, at: number, frames: number): void {
  const before = scroller.scrollTop;
  scroller.scrollTop += place.getBoundingClientRect().top - scroller.getBoundingClientRect().top - scroller.clientHeight * at;
  if (frames === 0 || (frames < FRAMES && Math.abs(scroller.scrollTop - before) < 1)) return;
  requestAnimationFrame(() => { bringThere(scroller, place, at, frames - 1); });
}

export function clearFound(): void {
  if ("highlights" in CSS) CSS.highlights.delete(NAME);
}

/** Every place in an element's text where one of the words stands, in its order. */
export function rangesOf(element: HTMLElement, words: readonly string[]): Range[] {
  const wanted = [...new Set(words.map((word) => word.toLowerCase()).filter(Boolean))];
  const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
  const ranges: Range[] = [];
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    if (!node.parentElement?.closest("button, style, script")) ranges.push(...rangesIn(node as Text, wanted));
  }
  return ranges;
}

function rangesIn(node: Text, wanted: readonly string[]): Range[] {
  const text = node.data.toLowerCase();
  // A few letters change their length with their case: then nothing can be counted.
  if (text.length !== node.data.length) return [];
  return wanted
    .flatMap((word) => placesOf(text, word).map((start) => ({ start, end: start + word.length })))
    .sort((one, other) => one.start - other.start)
    .map(({ start, end }) => {
      const range = document.createRange();
      range.setStart(node, start);
      range.setEnd(node, end);
      return range;
    });
}

function placesOf(text: string, word: string): number[] {
  const places: number[] = [];
  for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + word.length)) places.push(at);
  return places;
}
