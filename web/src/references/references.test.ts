import { expect, test } from "vitest";
import { addedWords, formatOf, importWords, namesWork } from "./actions";
import { flagOf, papersIn, quotationText, rowTitle } from "./labels";

test("what names a work is told from words to look for", () => {
  const works = ["10.1029/2009JC005997", "https://doi.org/10.1029/x", "arXiv:1706.03762", "1706.03762v2", "978-0-521-61777-9", "@book{a, title={b}}"];
  expect(works.filter((text) => !namesWork(text))).toEqual([]);
  expect(["pugh 1987", "tides", "2009", ""].filter(namesWork)).toEqual([]);
});

test("a list's format is known by its name, else by its first words", () => {
  expect([formatOf("a.bib", ""), formatOf("a.txt", "TY  - JOUR\n"), formatOf("a.xml", ""), formatOf("x", '[ {"id": 1}]'), formatOf("a.doc", "words")]).toEqual(["biblatex", "ris", "endnotexml", "csljson", null]);
});

test("what became of a work is said", () => {
  const added = { key: "pugh1987", isNew: true, source: "CrossRef", isRecord: true };
  expect(addedWords(added)).toBe("Added as pugh1987, from CrossRef.");
  expect(addedWords({ ...added, isNew: false })).toBe("It is in the library already, as pugh1987.");
  expect(importWords(2, 1)).toBe("2 references were added, 1 was in the library already.");
});

test("a row says what is missing", () => {
  expect(flagOf({ missing: ["publisher", "year"] })).toBe("No publisher, no year");
  expect(rowTitle({ who: "Pugh", year: "1987", title: "Tides" })).toBe("Pugh, 1987. Tides");
});

test("a row says what became of a work before what it lacks", () => {
  const row = { missing: ["year"], isRetracted: false, publishedDoi: "10.1/x", publishedYear: "2024", check: "verified" as const };
  expect(flagOf(row)).toBe("Preprint. Published in 2024: update");
  expect(flagOf({ ...row, isRetracted: true })).toBe("Retracted");
  expect(flagOf({ missing: [], check: "mismatch" })).toBe("Differs from its record");
});

test("papers of a search are those with a DOI, and quotations say where they are", () => {
  const output = "OpenAlex did not answer.\n\n1. Tides\n   authors: W. Munk, D. Cartwright\n   year: 1966\n   doi: 10.1098/x\n\n2. No number\n   year: 2000";
  expect(papersIn(output)).toEqual([{ title: "Tides", facts: "W. Munk, D. Cartwright, 1966", doi: "10.1098/x" }]);
  expect(quotationText({ key: "a", verdict: "verified", page: 3, why: "" })).toBe("Found on page 3 of the PDF of a");
});
