import { expect, test } from "vitest";
import { askOf, type CallStatus, lineOf, serverToolOf } from "./labels";

const EDIT = { doing: "Editing", done: "Edited", main: "path" };

test.each<[CallStatus, string, string]>([
  ["running", "Editing", "Using web_search"],
  ["done", "Edited", "Used web_search"],
  ["waiting", "Waiting to edit", "Waiting to use web_search"],
  ["error", "Could not edit", "Could not use web_search"],
  ["denied", "Not allowed: edit", "Not allowed: use web_search"],
  ["cancelled", "Stopped: edit", "Stopped: use web_search"],
  ["unknown", "Not known whether it did: edit", "Not known whether it did: use web_search"],
  ["never", "Did not edit", "Did not use web_search"],
])("a call that is %s does not say that it was done otherwise", (standing, known, unknown) => {
  expect(lineOf("edit_file", EDIT, standing)).toBe(known);
  expect(lineOf("web_search", null, standing)).toBe(unknown);
});

test("a tool of an MCP server is called by the server's name and its own", () => {
  expect(serverToolOf("zotero__add_item")).toBe("zotero: add_item");
  expect(serverToolOf("a__b__c")).toBe("a: b__c");
  expect(["edit_file", "__x", "x__"].map(serverToolOf)).toEqual([null, null, null]);
  expect([askOf("zotero__add_item"), lineOf("zotero__add_item", null, "done"), lineOf("zotero__add_item", null, "error")]).toEqual(["Call zotero: add_item?", "Called", "Could not call"]);
});
