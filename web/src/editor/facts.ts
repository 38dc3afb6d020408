/** Facts about a text, some of which its foot shows. */

/** The name of a file, without the folders it is in. */
export function nameOf(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
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
