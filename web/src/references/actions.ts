/** What a person does with references: open, cite, add, delete. */
import { type ImportFormat, problemOf, type ReferenceAdded } from "../api";
import type { App } from "../app/app.svelte";
import { countOf } from "../core/amounts";
import { copyText } from "../core/widgets/clipboard";

const NUMBERS = /^(?:https?:\/\/\S+|doi:\s*\S+|10\.\d{4,9}\/\S+|arxiv:\s*\S+|\d{4}\.\d{4,5}(?:v\d+)?|pmid:\s*\d+|(?:97[89][- ]?)?\d[\d -]{8,}[\dXx])$/i;

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

/** Adds a work by whatever names it, and says what became of it. */
export async function addReference(app: App, text: string, key = ""): Promise<boolean> {
  const references = app.workspace?.references;
  if (!references) return false;
  if (isBibtex(text)) {
    const told = await references.importList("biblatex", text);
    app.toasts.show(importWords(told.added.length, told.known.length));
    return true;
  }
  const added = await references.add(text.trim(), key);
  app.toasts.show(addedWords(added));
  await references.open(added.key);
  app.layout.showDocument();
  return true;
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
        app.toasts.show(importWords(told.added.length, told.known.length));
      }
    } catch (error) {
      const problem = problemOf(error);
      app.toasts.show([`${file.name}: ${problem.detail}`, problem.remedy ?? ""].join(" ").trim());
    }
  }
}
