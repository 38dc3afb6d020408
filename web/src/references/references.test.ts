import { expect, test } from "vitest";
import { addedWords, brokenWords, formatOf, importWords, leftWords, namesWork, pdfWords } from "./actions";
import { fileAge, flagOf, papersIn, quotationText, rowTitle, searchNote } from "./labels";

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
  expect([pdfWords(added, ""), pdfWords({ ...added, isNew: false }, ""), pdfWords({ ...added, isNew: false }, "pugh1987")]).toEqual(["Added as pugh1987, from CrossRef.", "The PDF is attached to pugh1987.", "The PDF is attached to pugh1987."]);
  expect(importWords(2, 1)).toBe("2 references were added, 1 was in the library already.");
});

test("what could not be read of a list is named by its line", () => {
  const broken = { line: 1204, why: "its { is never closed", text: "@book{pugh1987,\n  title = {Tides,\n}" };
  expect(brokenWords([broken])).toEqual(["Line 1,204, @book{pugh1987,…: its { is never closed"]);
  expect(leftWords([])).toBe("");
  expect(leftWords(Array.from({ length: 7 }, () => broken))).toMatch(/^ 7 entries could not be read, and stay in the file\. Line 1,204, .+; and 2 more\.$/);
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

test("each paper of a search can be added, and what failed before is said", () => {
  const output = [
    "OpenAlex did not answer.\n",
    "1. Tides\n   authors: W. Munk, D. Cartwright\n   year: 1966\n   journal: Phil. Trans.\n   volume: 259\n   doi: 10.1098/x\n   open access: green",
    "2. No number\n   authors: A. Nobody\n   year: 2000\n   id: https://tides.example/",
    "3. A preprint\n   id: https://arxiv.org/abs/1706.03762",
    "4. Only a page\n   id: https://tides.example/p",
    "5. Without a title\n   id: https://tides.example/q",
  ].join("\n\n");
  expect(papersIn(output)).toEqual([
    { title: "Tides", facts: "W. Munk, D. Cartwright, 1966. Phil. Trans. 259. Open access", names: "10.1098/x" },
    { title: "No number", facts: "A. Nobody, 2000", names: "A. Nobody (2000): No number" },
    { title: "A preprint", facts: "", names: "https://arxiv.org/abs/1706.03762" },
    { title: "Only a page", facts: "", names: "Only a page" },
  ]);
  expect([searchNote(output), searchNote("1. Tides")]).toEqual(["OpenAlex did not answer.", ""]);
});

test("a quotation says where it is", () => {
  expect(quotationText({ key: "a", verdict: "verified", page: 3, why: "" })).toBe("Found on page 3 of the PDF of a");
});

test("an export of another program shows how old it is", () => {
  const at = new Date(2025, 2, 3, 12).getTime();
  expect(fileAge({ path: "references/zotero.bib", modifiedAt: at }, new Date(2025, 2, 4, 9))).toBe("zotero.bib, written yesterday");
});
