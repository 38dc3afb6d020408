/** What an empty chat offers to begin with, so that it fits the open file. */
import { folderOf, nameOf } from "../../core/paths";

export interface Suggestion {
  text: string;
  /** What it is about, at the right end of the row. */
  fact: string;
  files: readonly string[];
}

const CODE = /\.(py|pyi|js|mjs|jsx|ts|tsx|svelte|vue|sql|rs|c|h|cc|cpp|hpp|java|go|sh|r|jl|rb|lua|pl)$/i;
const PROSE = /\.(md|markdown|txt|rst|tex|qmd|rmd|adoc)$/i;
const DATA = /\.(json|jsonl|ya?ml|toml|ini|cfg|csv|tsv)$/i;

/** Three questions: two about the open file when there is one, the rest about the folder. A model that can't look by itself gets what it can answer from what Recto sends along. */
export function suggestionsFor(active: string | null, project: string, { hasTools = true, hasReadme = false, isEmpty = false } = {}): Suggestion[] {
  if (isEmpty) return hasTools ? forNew(project) : [];
  if (!hasTools) return forSmall(active, project, hasReadme);
  const folder: Suggestion[] = [
    { text: "What is in this folder, in ten lines?", fact: project, files: [] },
    { text: "Where should somebody new begin to read?", fact: project, files: [] },
    { text: "What is unfinished here?", fact: project, files: [] },
  ];
  return active === null ? folder : [...forFile(active), ...folder].slice(0, 3);
}

/** In a folder without files there is nothing to ask about. */
function forNew(project: string): Suggestion[] {
  return [
    { text: "Ask me what this folder is for, then write its README.", fact: project, files: [] },
    { text: "Which files and folders should I begin with?", fact: project, files: [] },
  ];
}

/** What a small model can do: sum up a text that lies before it. */
function forSmall(active: string | null, project: string, hasReadme: boolean): Suggestion[] {
  const folder: Suggestion[] = hasReadme
    ? [
        { text: "What is this folder about, in three sentences?", fact: "README", files: [] },
        { text: "Sum up the README in three sentences.", fact: "README", files: [] },
      ]
    : [{ text: "Going by the names of its files, what is this folder about?", fact: project, files: [] }];
  if (active === null || !(CODE.test(active) || PROSE.test(active))) return folder;
  const name = nameOf(active);
  const text = CODE.test(name) ? `Say in three sentences what ${name} does.` : `Sum up ${name} in three sentences.`;
  return [{ text, fact: folderOf(active) === "" ? project : folderOf(active), files: [active] }, ...folder];
}

function forFile(path: string): Suggestion[] {
  const name = nameOf(path);
  const fact = folderOf(path) === "" ? name : folderOf(path);
  const about = (text: string): Suggestion => ({ text, fact, files: [path] });
  if (CODE.test(name)) return [about(`Explain what ${name} does, and how`), about(`Which cases does ${name} not handle?`)];
  if (PROSE.test(name)) return [about(`Which claims in ${name} need a citation?`), about(`Where does ${name} lose its reader?`)];
  if (DATA.test(name)) return [about(`What does ${name} hold?`), about(`What looks wrong in ${name}?`)];
  return [about(`What is ${name} for?`)];
}

/** The hour's greeting. */
export function greetingAt(hour: number): string {
  // One who comes at night is not seen off: “Good night” is a goodbye.
  if (hour < 5 || hour >= 18) return "Good evening.";
  return hour < 12 ? "Good morning." : "Good afternoon.";
}
