import { expect, test } from "vitest";
import { offered } from "./transforms.svelte";

const known = [
  { id: "fix", title: "Fix spelling and grammar", argument: null },
  { id: "expand", title: "Expand", argument: null },
  { id: "own-1", title: "Plain words", argument: null },
];

test("only what a measured model does well is offered, and a person’s own requests always", () => {
  const ids = (good: readonly string[] | null) => offered(known, good).map((one) => one.id);
  expect([ids(null), ids([]), ids(["fix"])]).toEqual([["fix", "expand", "own-1"], ["own-1"], ["fix", "own-1"]]);
});
