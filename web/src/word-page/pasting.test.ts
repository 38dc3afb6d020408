// @vitest-environment jsdom
import { DOMParser } from "prosemirror-model";
import { expect, test } from "vitest";
import { fitted, hasThings } from "./pasting";
import { schema } from "./schema";

function pasted(html: string) {
  const holder = document.createElement("div");
  holder.innerHTML = html; // the test's own words
  const slice = fitted(DOMParser.fromSchema(schema).parseSlice(holder), new Map([[2, "Heading2"]]));
  return slice.content.content.map((node) => [node.textContent, node.attrs.style, node.attrs.heading, node.attrs.list] as unknown);
}

test("headings and lists of a web page take the document's own, and other levels are plain", () => {
  expect(pasted("<h2>Head</h2><h4>Deep</h4><p>Text</p><ul><li>one</li><li><p>two</p></li></ul><ol><li>three</li></ol>")).toEqual([
    ["Head", "Heading2", 2, ""], ["Deep", "", 0, ""], ["Text", "", 0, ""], ["one", "", 0, "bullet"], ["two", "", 0, "bullet"], ["three", "", 0, "number"],
  ]);
});

test("tables are pasted as their texts", () => {
  expect(pasted("<p>before</p><table><tr><td>A</td><td>B</td></tr></table>")).toEqual([["before", "", 0, ""], ["A", "", 0, ""], ["B", "", 0, ""]]);
});

test("what only the server could copy is noticed", () => {
  expect(hasThings('<p>see <img class="word-picture" src="x"></p>')).toBe(true);
  expect(hasThings('<p>see <img class="picture" src="x"> word-picture</p>')).toBe(false);
});
