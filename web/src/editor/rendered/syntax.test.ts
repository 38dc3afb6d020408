import { parser } from "@lezer/markdown";
import { expect, test } from "vitest";
import { renderedSyntax } from "./syntax";

function linksIn(text: string): number {
  let links = 0;
  parser.configure(renderedSyntax).parse(text).iterate({ enter: ({ name }) => void (links += name === "Link" || name === "Image" ? 1 : 0) });
  return links;
}

test("links are links, but not in a block so long that finding them would take seconds", () => {
  const block = (count: number) => "[a](b) ![c](d) ".repeat(count);
  expect([linksIn(block(1000)), linksIn(block(1400)), linksIn(`${block(1400)}\n\n${block(3)}`)]).toEqual([2000, 0, 6]);
});
