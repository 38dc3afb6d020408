/** What people read about references. */
import type { LibraryFile, Reference, ReferenceRow, ReportedQuotation } from "../api";
import { nameOf } from "../core/paths";
import { whenText } from "../core/times";

const KINDS: Record<string, string> = {
  article: "Article",
  book: "Book",
  inproceedings: "Conference paper",
  incollection: "Chapter",
  phdthesis: "Thesis",
  mastersthesis: "Master’s thesis",
  techreport: "Report",
  online: "Web page",
  dataset: "Data set",
  software: "Software",
  misc: "Other",
};
const FIELDS: Record<string, string> = {
  author: "Authors",
  editor: "Editors",
  title: "Title",
  journal: "Journal",
  journaltitle: "Journal",
  booktitle: "In",
  year: "Year",
  date: "Date",
  volume: "Volume",
  number: "Issue",
  pages: "Pages",
  publisher: "Publisher",
  address: "Place",
  doi: "DOI",
  url: "Address",
  isbn: "ISBN",
  issn: "ISSN",
  month: "Month",
  keywords: "Tags",
  abstract: "Abstract",
  note: "Note",
  edition: "Edition",
  series: "Series",
  school: "University",
  institution: "Institution",
};
/** What the form offers for any kind of work, in this order. */
const OFFERED = ["author", "title", "journal", "booktitle", "year", "volume", "number", "pages", "publisher", "address", "doi", "url", "isbn", "keywords"];

export function kindName(kind: string): string {
  return KINDS[kind] ?? kind;
}

export const KIND_CHOICES: readonly [string, string][] = Object.entries(KINDS);

export function fieldName(name: string): string {
  return FIELDS[name] ?? name;
}

export interface FoundWork { title: string; facts: string; names: string }

/** The papers of what search_papers answered, each with what names it best: its DOI, an address that has a record, or its citation. */
export function papersIn(output: string): FoundWork[] {
  return output.split(/^(?=\d+\. )/m).flatMap((row) => {
    const title = /^\d+\. (.+)$/m.exec(row)?.[1];
    if (title === undefined || title === UNTITLED) return [];
    const fact = (name: string) => new RegExp(`^ {3}${name}: (.+)$`, "m").exec(row)?.[1] ?? "";
    const [who, year, address] = [fact("authors"), fact("year"), fact("id")];
    const citation = who === "" ? title : `${who}${year === "" ? "" : ` (${year})`}: ${title}`;
    const names = fact("doi") || (NUMBERED.test(address) ? address : citation);
    const where = [fact("journal"), fact("volume")].filter(Boolean).join(" ");
    const isOpen = !["", "closed"].includes(fact("open access"));
    return [{ title, names, facts: [[who, year].filter(Boolean).join(", "), where, isOpen ? "Open access" : ""].filter(Boolean).join(". ") }];
  });
}

/** What is said before the papers: which service failed, and what its stand-in does not know. */
export function searchNote(output: string): string {
  const first = output.search(/^1\. /m);
  return first > 0 ? output.slice(0, first).trim() : "";
}

const UNTITLED = "Without a title";
const NUMBERED = /^https?:\/\/(?:(?:www\.|export\.)?arxiv\.org|pubmed\.ncbi\.nlm\.nih\.gov)\//;

/** Whether a source has a quotation. */
export function quotationText({ key, verdict, page, why }: Pick<ReportedQuotation, "key" | "verdict" | "page" | "why">): string {
  if (verdict === "no-text") return `Not checked: ${why}`;
  if (verdict === "not-found") return `Quotation not found in ${key}`;
  return page === null ? `Found in the abstract of ${key}` : `Found on page ${String(page)} of the PDF of ${key}`;
}

type Flagged = Pick<ReferenceRow, "missing"> & Partial<Pick<ReferenceRow, "isRetracted" | "publishedDoi" | "publishedYear" | "check">>;

/** What a row says is wrong with it. */
export function flagOf({ missing, isRetracted, publishedDoi, publishedYear, check }: Flagged): string {
  if (isRetracted === true) return "Retracted";
  if (publishedDoi !== undefined && publishedDoi !== "") return `Preprint. Published${publishedYear === undefined || publishedYear === "" ? "" : ` in ${publishedYear}`}: update`;
  if (check === "not-found") return "No record found";
  if (check === "mismatch") return "Differs from its record";
  return missing.length === 0 ? "" : `No ${missing.map((name) => fieldName(name).toLowerCase()).join(", no ")}`;
}

export function rowTitle({ who, year, title }: Pick<ReferenceRow, "who" | "year" | "title">): string {
  return [[who, year].filter(Boolean).join(", "), title].filter(Boolean).join(". ");
}

export function shortName({ who, year, key }: Pick<ReferenceRow, "who" | "year" | "key">): string {
  return [who, year].filter(Boolean).join(", ") || key;
}

/** The fields of a form: those that the entry has, those that it lacks, and those that its kind usually has. */
export function formFields({ fields, missing }: Reference): string[] {
  const known = new Set([...Object.keys(fields), ...missing]);
  const usual = OFFERED.filter((name) => known.has(name) || !["journal", "booktitle", "address", "isbn", "url"].includes(name));
  return [...usual, ...[...known].filter((name) => !usual.includes(name)).sort()];
}

/** How old a file is: an export of another program that has stopped is seen by that. */
export function fileAge({ path, modifiedAt }: Pick<LibraryFile, "path" | "modifiedAt">, now?: Date): string {
  return `${nameOf(path)}, written ${whenText(modifiedAt, now)}`;
}

export function times(count: number): string {
  return count === 1 ? "once" : `${count.toLocaleString("en")} times`;
}
