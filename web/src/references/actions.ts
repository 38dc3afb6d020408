/** What a person does with references: open, cite, add, delete. */
import { type BrokenReference, type ImportFormat, problemOf, type ReferenceAdded } from "../api";
import type { App } from "../app/app.svelte";
import { countOf } from "../core/amounts";
import { copyText } from "../core/widgets/clipboard";

const NUMBERS = /^(?:https?:\/\/\S+|doi:\s*\S+|10\.\d{4,9}\/\S+|arxiv:\s*\S+|\d{4}\.\d{4,5}(?:v\d+)?|pmid:\s*\d+|(?:97[89][- ]?)?\d[\d -]{8,}[\dXx])$/i;

const SHOWN = 30;
const MOST_NAMED = 5;

/** Whether what stands in the search field names a work, rather than words to look for. */
export function namesWork(text: string): boolean {
  return NUMBERS.test(text.trim()) || isBibtex(text);
}

export function isBibtex(text: string): boolean {
  return /^\s*@\w+\s*[{(]/.test(text);
}

/** The format of a list by its file's name and first words; null when it is none that can be read. */
export function formatOf(name: string, text: string): ImportFormat | null {
  if (/\.bib(tex)?$/i.test(name) || isBibtex(text)) return "biblatex";
  if (/\.ris$/i.test(name) || /^\s*TY {2}- /.test(text)) return "ris";
  if (/\.xml$/i.test(name) || /<xml>\s*<records>/.test(text)) return "endnotexml";
  if (/\.json$/i.test(name) || /^\s*\[\s*\{/.test(text)) return "csljson";
  return null;
}

/** Adds a work by whatever names it, and says what became of it. Answers what could not be read, to be mended. */
export async function addReference(app: App, text: string, key = ""): Promise<readonly BrokenReference[]> {
  const references = app.workspace?.references;
  if (!references) return [];
  if (isBibtex(text)) {
    const told = await references.importList("biblatex", text);
    app.toasts.show(importWords(told.added.length, told.known.length));
    return told.broken;
  }
  const added = await references.add(text.trim(), key);
  app.toasts.show(addedWords(added));
  await references.open(added.key);
  app.layout.showDocument();
  return [];
}

export function addedWords({ key, isNew, source, isRecord }: ReferenceAdded): string {
  if (!isNew) return `It is in the library already, as ${key}.`;
  return isRecord ? `Added as ${key}, from ${source}.` : `Added as ${key}. No service has its record: check what was read.`;
}

/** What became of a PDF: it was attached to an entry that was named, or to the work that it says it is. */
export function pdfWords(added: ReferenceAdded, key: string): string {
  return key === "" && added.isNew ? addedWords(added) : `The PDF is attached to ${added.key}.`;
}

export function importWords(added: number, known: number): string {
  const fresh = added === 0 ? "Nothing was new" : `${countOf(added, "reference was", "references were")} added`;
  return known === 0 ? `${fresh}.` : `${fresh}, ${countOf(known, "was", "were")} in the library already.`;
}

/** Each entry that could not be read, by its line and first letters, and why. */
export function brokenWords(broken: readonly BrokenReference[]): string[] {
  return broken.map(({ line, why, text }) => `Line ${line.toLocaleString("en")}, ${text.slice(0, SHOWN).split("\n", 1)[0] ?? ""}…: ${why}`);
}

/** What could not be read of a file, which still has it. */
export function leftWords(broken: readonly BrokenReference[]): string {
  if (broken.length === 0) return "";
  const more = broken.length - MOST_NAMED;
  const named = brokenWords(broken.slice(0, MOST_NAMED)).join("; ");
  return ` ${countOf(broken.length, "entry", "entries")} could not be read, and stay in the file. ${named}${more > 0 ? `; and ${String(more)} more` : ""}.`;
}

/** Puts a citation where the cursor is. */
export function citeHere(app: App, key: string): void {
  const { viewer } = app;
  if (!viewer || app.workspace?.tabs.active === null) {
    app.background(copyCitation(app, key));
    return;
  }
  app.workspace?.references.close();
  viewer.insert(`[@${key}]`);
  app.layout.showDocument();
  viewer.focus();
}

async function copyCitation(app: App, key: string): Promise<void> {
  app.toasts.show((await copyText(`[@${key}]`)) ? "No text is open, so the citation was copied." : `Open a text first, then cite. The citation is [@${key}]`);
}

export async function removeReference(app: App, key: string): Promise<void> {
  const references = app.workspace?.references;
  if (!references) return;
  const removed = await references.remove(key);
  app.toasts.show(`${key} was taken out of the library.`, {
    label: "Undo",
    run: () => { app.background(references.putBack(removed)); },
  });
}

/** Adds PDFs and lists that were dropped or chosen. */
export async function addFiles(app: App, files: readonly File[], key = ""): Promise<void> {
  const references = app.workspace?.references;
  if (!references) return;
  for (const file of files) {
    try {
      if (/\.pdf$/i.test(file.name)) app.toasts.show(pdfWords(await references.addPdf(file, key), key));
      else {
        const text = await file.text();
        const format = formatOf(file.name, text);
        if (format === null) {
          app.toasts.show(`${file.name} is no list of references and no PDF. BibTeX, RIS, EndNote XML and CSL-JSON can be read.`);
          continue;
        }
        const told = await references.importList(format, text);
        app.toasts.show(importWords(told.added.length, told.known.length) + leftWords(told.broken));
      }
    } catch (error) {
      const problem = problemOf(error);
      app.toasts.show([`${file.name}: ${problem.detail}`, problem.remedy ?? ""].join(" ").trim());
    }
  }
}
