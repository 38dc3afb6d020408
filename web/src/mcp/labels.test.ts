import { expect, test } from "vitest";
import { mcpTool } from "../fakes/fake-mcp";
import { factOf, moreText, nameFor, sentenceOf, serverOf, wordsOf } from "./labels";

test.each([
  ["npx -y @lab/levels-mcp@1.4.2", ["npx", "-y", "@lab/levels-mcp@1.4.2"]],
  ["  a   b ", ["a", "b"]],
  [`run "two words" 'it is' x\\ y`, ["run", "two words", "it is", "x y"]],
  [`a "" b`, ["a", "", "b"]],
  [`'a\\b' "c\\"d"`, ["a\\b", 'c"d']],
  ["", []],
])("the words of %s", (line, words) => {
  expect(wordsOf(line)).toEqual(words);
});

test.each([
  ["npx -y @modelcontextprotocol/server-memory", "memory"],
  ["npx -y @lab/levels-mcp@1.4.2 --db x", "levels"],
  ["uvx mcp-server-git --repository .", "git"],
  ["https://mcp.gauges.example/v1", "mcp-gauges-example"],
  ["python3", "python3"],
  ["", ""],
])("a name for %s", (typed, name) => {
  expect(nameFor(typed)).toBe(name);
});

test("what was typed is a program or an address", () => {
  expect(serverOf("git", "uvx mcp-server-git --repository .")).toEqual({ name: "git", command: "uvx", args: ["mcp-server-git", "--repository", "."] });
  expect(serverOf("far", " https://mcp.test/v1 ")).toEqual({ name: "far", url: "https://mcp.test/v1" });
});

test("what happened is told in a sentence", () => {
  expect(["it ended with exit code 3", "There is no key A. Set it", ""].map(sentenceOf)).toEqual(["It ended with exit code 3.", "There is no key A. Set it.", ""]);
});

test("counts in words", () => {
  expect(factOf({ tools: [mcpTool("a"), mcpTool("b")], tokens: 1700 })).toBe("2 tools, 1.7k tokens");
  expect(factOf({ tools: [], tokens: 0 })).toBe("");
  expect(moreText([mcpTool("a"), mcpTool("b")])).toBe("2 more, all ask, 284 tokens");
  expect(moreText([mcpTool("a"), mcpTool("b", { permission: "deny" })])).toBe("2 more, 284 tokens");
});
