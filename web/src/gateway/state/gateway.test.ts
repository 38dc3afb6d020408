import { expect, test } from "vitest";
import { keptAddress, keptOwnerOf, sectionOf } from "./gateway.svelte";

test("an address says whose kept prompts are shown", () => {
  expect([sectionOf("#kept"), keptOwnerOf("#kept")]).toEqual(["kept", null]);
  const address = keptAddress("01abc");
  expect([sectionOf(address), keptOwnerOf(address)]).toEqual(["kept", "01abc"]);
  expect([sectionOf("#keys"), keptOwnerOf("#keys"), sectionOf("#nothing")]).toEqual(["keys", null, "overview"]);
});
