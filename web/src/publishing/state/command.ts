/** The command of a terminal that publishes as the dialog does. */
import type { PublishChoice } from "./publishing.svelte";

export function commandOf(path: string, { to, template, style, paper, numberSections, contents }: Omit<PublishChoice, "takesEdits">): string {
  const options = [
    template === "article" ? "" : `--template ${quoted(template)}`,
    style === "" ? "" : `--style ${quoted(style)}`,
    paper === "a4" ? "" : `--paper ${paper}`,
    numberSections ? "--number-sections" : "",
    contents ? "--contents" : "",
  ];
  return ["recto publish", quoted(path), `--to ${to}`, ...options].filter(Boolean).join(" ");
}

/** A word of a shell. */
function quoted(word: string): string {
  return /^[\w./@%+,:=-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
