/** What people read about references. */
import type { Reference, ReferenceRow } from "../api";

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

/** What a row says is wrong with it. */
export function flagOf({ missing }: Pick<ReferenceRow, "missing">): string {
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
