/** Blocks of an answer in the place of others, with as little as possible coming and going. */

const HEADINGS = "h1, h2, h3, h4, h5, h6";
const AFTER_HEADING = "data-after-heading";

/** Puts new elements, or what is in them, in the place of old ones, and leaves alone those that are equal. Returns what is shown now. */
export function swap(host: Element, old: readonly Element[], fresh: readonly Element[]): Element[] {
  markAfterHeadings(fresh, old[0] ? old[0].previousElementSibling : host.lastElementChild);
  let same = 0;
  while (same < old.length && same < fresh.length && (old[same]?.isEqualNode(fresh[same] ?? null) || refill(old[same], fresh[same]))) same += 1;
  const after = old.at(-1)?.nextSibling ?? null;
  for (const element of old.slice(same)) element.remove();
  for (const element of fresh.slice(same)) host.insertBefore(element, after);
  return [...old.slice(0, same), ...fresh.slice(same)];
}

/** Gives an element the content of another of its kind: where a block comes or goes, a browser looks at all blocks of a long answer again. */
function refill(element: Element | undefined, fresh: Element | undefined): boolean {
  if (!element || !fresh || !element.cloneNode().isEqualNode(fresh.cloneNode())) return false;
  element.replaceChildren(...fresh.childNodes);
  return true;
}

/** Says of each element whether it follows a heading, for its look. The first one follows what stands there already. */
function markAfterHeadings(elements: readonly Element[], before: Element | null): void {
  for (const [at, element] of elements.entries()) element.toggleAttribute(AFTER_HEADING, (at === 0 ? before : elements[at - 1])?.matches(HEADINGS) ?? false);
}
