/** How a file is shown, by its name; the server looks at the bytes before it hands any out. */

/** A drawing is a picture that is also a text; anything else that is no picture is tried as a text. */
export type Shape = "markdown" | "picture" | "drawing" | "pdf" | "notebook" | "word" | "foreign" | "table" | "text";

export function showsAs(path: string): Shape {
  if (/\.(md|markdown|mkd|qmd|rmd)$/i.test(path)) return "markdown";
  if (/\.(png|jpe?g|gif|webp|avif|bmp|ico)$/i.test(path)) return "picture";
  if (/\.svg$/i.test(path)) return "drawing";
  if (/\.ipynb$/i.test(path)) return "notebook";
  if (/\.(docx|docm|dotx|dotm)$/i.test(path)) return "word";
  if (/\.(odt|rtf|doc)$/i.test(path)) return "foreign";
  if (/\.(csv|tsv)$/i.test(path)) return "table";
  return /\.pdf$/i.test(path) ? "pdf" : "text";
}

/** Whether a file is shown as a text, and not by a view of its own. */
export function isReadAsText(path: string): boolean {
  return !["picture", "pdf", "word", "foreign"].includes(showsAs(path));
}

/** Whether a rendered text may show the file in its midst. */
export function isPicture(path: string): boolean {
  const shape = showsAs(path);
  return shape === "picture" || shape === "drawing";
}
