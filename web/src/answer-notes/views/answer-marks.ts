/** Underlines passages of answers without touching their elements, where the browser can. */

const NAME = "recto-comment";

/** Marks a passage until the answer is called. */
export function markPassage(range: Range): () => void {
  // jsdom and some older browsers can't; the comments under the answer are there all the same.
  if (!("highlights" in CSS)) return () => undefined;
  const marks = CSS.highlights.get(NAME) ?? new Highlight();
  CSS.highlights.set(NAME, marks);
  marks.add(range);
  return () => { marks.delete(range); };
}
