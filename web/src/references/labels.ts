/** What people read about references. */
import type { Reference, ReferenceRow, ReportedQuotation } from "../api";

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

/** The papers of what search_papers answered, as far as they have a DOI. */
export function papersIn(output: string): { title: string; facts: string; doi: string }[] {
  return output.split(/^(?=\d+\. )/m).flatMap((row) => {
    const title = /^\d+\. (.+)$/m.exec(row)?.[1];
    const fact = (name: string) => new RegExp(`^ {3}${name}: (.+)$`, "m").exec(row)?.[1] ?? "";
    const doi = fact("doi");
    return title === undefined || doi === "" ? [] : [{ title, doi, facts: [fact("authors"), fact("year")].filter(Boolean).join(", ") }];
  });
}

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

export function times(count: number): string {
  return count === 1 ? "once" : `${count.toLocaleString("en")} times`;
}
