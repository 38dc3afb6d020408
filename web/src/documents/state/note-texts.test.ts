import { expect, test } from "vitest";
import { NoteTexts } from "./note-texts.svelte";

test("a link to no note is missing once that is known, and no longer when the note comes", async () => {
  const files = ["notes/tide.md"];
  const asked: string[] = [];
  const find = (name: string) => {
    asked.push(name);
    return Promise.resolve(files.find((path) => path.endsWith(`/${name}.md`)) ?? null);
  };
  const notes = new NoteTexts({ find, read: () => Promise.resolve("") });
  const missing = () => ["tide", "ebb#Low water", "#Here"].map((name) => notes.isMissing(name, "notes/a.md"));
  expect([missing(), asked, notes.changes]).toEqual([[false, false, false], ["tide", "ebb"], 0]);
  await Promise.resolve();
  expect([missing(), notes.changes, asked.length]).toEqual([[false, true, false], 1, 2]);
  files.push("notes/ebb.md");
  notes.onFiles(["elsewhere"], false);
  expect([missing(), notes.changes]).toEqual([[false, true, false], 2]);
  await Promise.resolve();
  expect([missing(), notes.changes, asked]).toEqual([[false, false, false], 3, ["tide", "ebb", "ebb"]]);
});
