/** Names of files and folders: what is wrong with one, and paths that follow a move. The server judges by the same rules. */

const MAX_BYTES = 255;
const TEMPORARY_PREFIX = ".recto-tmp-";
const NOTHING: ReadonlySet<string> = new Set();
const PROTECTED: readonly string[] = [".git", ".recto", "git~1"];

/** Why a name can't be given to something in a folder that has these names; null when it can. */
export function nameProblem(name: string, taken: ReadonlySet<string>): string | null {
  if (name === "") return "Give it a name.";
  if (/[/\\]/.test(name)) return "A name has no slash. To put it into another folder, move it there.";
  if (/[\p{Cc}\p{Zl}\p{Zp}]/u.test(name)) return "The name has a character that can't be seen, such as a line break.";
  if (name === "." || name === "..") return "This name means a folder already.";
  if (PROTECTED.includes(plain(name))) return "This name belongs to git or to Recto.";
  if (name.startsWith(TEMPORARY_PREFIX)) return `Names that start with ${TEMPORARY_PREFIX} are Recto's own.`;
  if (!name.isWellFormed()) return "The name is not valid text.";
  if (new TextEncoder().encode(name).length > MAX_BYTES) return "The name is too long.";
  return taken.has(name) ? `“${name}” exists already here.` : null;
}

/** Why something new can't be made by that name. Slashes lead into folders below, which are made where they are not there yet. */
export function newNameProblem(name: string, taken: ReadonlySet<string>): string | null {
  const parts = name.split("/");
  if (parts.length === 1) return nameProblem(name, taken);
  return parts.map((part) => nameProblem(part, NOTHING)).find((problem) => problem !== null) ?? null;
}

/** A name as the most forgiving file system compares it. */
function plain(name: string): string {
  const folded = name.replace(/\p{Cf}/gu, "").normalize("NFKC").toLowerCase();
  return (folded.split(":")[0] ?? "").replace(/[. ]+$/, "");
}

/** The path of something in a folder; the empty folder is the project's own. */
export function pathIn(folder: string, name: string): string {
  return folder === "" ? name : `${folder}/${name}`;
}

/** Whether a path is another one, or lies somewhere in it. */
export function isAtOrBelow(path: string, above: string): boolean {
  return path === above || path.startsWith(`${above}/`);
}

/** A path after something was moved: itself, unless it was that or lay in it. */
export function afterMove(path: string, from: string, to: string): string {
  return isAtOrBelow(path, from) ? to + path.slice(from.length) : path;
}

export function folderOf(path: string): string {
  const cut = path.lastIndexOf("/");
  return cut < 0 ? "" : path.slice(0, cut);
}

/** The path that a relative address in a file means. */
export function beside(path: string, target: string): string {
  const parts = target.startsWith("/") ? [] : folderOf(path).split("/").filter(Boolean);
  for (const part of target.split("/")) {
    if (part === "..") parts.pop();
    else if (part !== "" && part !== ".") parts.push(part);
  }
  return parts.join("/");
}

/** Endings that people give to files on purpose; whatever else stands behind a dot, as in “St.John” or “v1.2”, is part of the name. */
const ENDINGS = /\.(?:md|markdown|mkd|qmd|rmd|txt|rst|tex|bib|ipynb|csv|tsv|jsonl?|ya?ml|toml|ini|xml|html?|css|[cm]?jsx?|tsx?|py|r|jl|sql|sh|c|h|cpp|hpp|java|go|rs|rb|svg|png|jpe?g|gif|webp|avif|bmp|pdf|docx?|odt|rtf|canvas)$/i;

/** The name of a file that was only called something: a note, unless its ending says otherwise. */
export function asNote(name: string): string {
  return ENDINGS.test(name) ? name : `${name}.md`;
}

/** A file's name without its ending, in small letters. */
export function stem(path: string): string {
  return nameOf(path).replace(/\.[^.]+$/, "").toLowerCase();
}

export function nameOf(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}
