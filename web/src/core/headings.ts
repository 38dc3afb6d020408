/** The headings of a Markdown text, as links name them. */

export interface Heading {
  text: string;
  level: number;
  /** From 1. */
  line: number;
}

/** The headings of a text, in order; what stands in a block of code is none. */
export function headingsOf(text: string): Heading[] {
  const found: Heading[] = [];
  let fence = "";
  text.split("\n").forEach((line, index) => {
    const [, mark = ""] = /^ {0,3}(`{3,}|~{3,})/.exec(line) ?? [];
    if (fence !== "") {
      if (mark.startsWith(fence) && line.trim() === mark) fence = "";
    } else if (mark !== "") fence = mark;
    else {
      const [, signs = "", words = ""] = /^ {0,3}(#{1,6})[ \t]+(.*?)(?:[ \t]+#+)?[ \t]*$/.exec(line) ?? [];
      if (words !== "") found.push({ text: words, level: signs.length, line: index + 1 });
    }
  });
  return found;
}

/** A heading as links compare it: its signs of Markdown, its blanks and the size of its letters do not count. */
function plain(heading: string): string {
  return heading.replace(/[*_`~=[\]#^|\\]/g, "").replace(/\s+/g, " ").trim().toLowerCase();
}

function headingNamed(headings: readonly Heading[], name: string): number {
  const wanted = plain(name.slice(name.lastIndexOf("#") + 1));
  return headings.findIndex((heading) => plain(heading.text) === wanted);
}

/** The line of a heading; null when the text has none of that name. */
export function headingLine(text: string, name: string): number | null {
  const headings = headingsOf(text);
  return headings[headingNamed(headings, name)]?.line ?? null;
}

/** What stands under a heading, with it; null when the text has none of that name. */
export function sectionOf(text: string, name: string): string | null {
  const headings = headingsOf(text);
  const at = headingNamed(headings, name);
  const heading = headings[at];
  if (!heading) return null;
  const next = headings.slice(at + 1).find(({ level }) => level <= heading.level);
  return text.split("\n").slice(heading.line - 1, next ? next.line - 1 : undefined).join("\n").trimEnd();
}
