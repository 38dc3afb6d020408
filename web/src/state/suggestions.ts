/** What an empty chat offers to begin with, so that it fits the open file. */
import { folderOf, nameOf } from "./documents.svelte";

export interface Suggestion {
  text: string;
  /** What it is about, at the right end of the row. */
  fact: string;
  files: readonly string[];
}

const CODE = /\.(py|pyi|js|mjs|jsx|ts|tsx|svelte|vue|sql|rs|c|h|cc|cpp|hpp|java|go|sh|r|jl|rb|lua|pl)$/i;
const PROSE = /\.(md|markdown|txt|rst|tex|qmd|rmd|adoc)$/i;
const DATA = /\.(json|jsonl|ya?ml|toml|ini|cfg|csv|tsv)$/i;

/** Three questions: two about the open file when there is one, the rest about the folder. */
export function suggestionsFor(active: string | null, project: string): Suggestion[] {
  const folder: Suggestion[] = [
    { text: "What is in this folder, in ten lines?", fact: project, files: [] },
    { text: "Where should somebody new begin to read?", fact: project, files: [] },
    { text: "What is unfinished here?", fact: project, files: [] },
  ];
  return active === null ? folder : [...forFile(active), ...folder].slice(0, 3);
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
  if (hour < 5) return "Good night.";
  if (hour < 12) return "Good morning.";
  return hour < 18 ? "Good afternoon." : "Good evening.";
}
