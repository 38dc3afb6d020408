/** Facts about a text, some of which its foot shows. */

/** The name of a file, without the folders it is in. */
export function nameOf(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}

/** Words, as runs of anything but space. One pass, so that a text of ten megabytes takes no time to speak of. */
export function countWords(text: string): number {
  let words = 0;
  let inside = false;
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    const space = code === 32 || (code >= 9 && code <= 13) || code === 160;
    if (!space && !inside) words += 1;
    inside = !space;
  }
  return words;
}

export function countLines(text: string): number {
  if (text === "") return 0;
  let lines = 1;
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) lines += 1;
  return text.endsWith("\n") ? lines - 1 : lines;
}

/** A size as people read it: "812 bytes", "84 KB", "2.1 MB". */
export function sizeText(bytes: number): string {
  if (bytes < 1000) return bytes === 1 ? "1 byte" : `${String(bytes)} bytes`;
  if (bytes < 999_500) return `${(bytes / 1000).toFixed(bytes < 9950 ? 1 : 0)} KB`;
  return `${(bytes / 1_000_000).toFixed(1)} MB`;
}

/** Whether a file is Markdown, which can be shown as it reads. */
export function isMarkdown(filename: string): boolean {
  return /\.(md|markdown|mkd|qmd|rmd)$/i.test(filename);
}

/** Whether a file is read as prose, not as code. */
export function isProse(filename: string): boolean {
  return /\.(md|markdown|mkd|qmd|rmd|txt|text|rst|adoc)$/i.test(filename) || /^(README|LICEN[CS]E|NOTICE|CHANGELOG|AUTHORS|COPYING)$/i.test(filename);
}
