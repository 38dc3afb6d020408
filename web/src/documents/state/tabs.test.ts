import { expect, test } from "vitest";
import { Tabs } from "./tabs.svelte";

function tabsWith(...paths: string[]): Tabs {
  const tabs = new Tabs("p1");
  for (const path of paths) tabs.open(path, true);
  return tabs;
}

const drawn = (tabs: Tabs) => tabs.items.map((tab) => (tab.pinned ? "" : "~") + tab.path + (tab.path === tabs.active ? "*" : ""));

test("a preview takes the place of the preview before it", () => {
  const tabs = tabsWith("a");
  tabs.open("b", false);
  tabs.open("c", false);
  expect(drawn(tabs)).toEqual(["a", "~c*"]);
});

test("opening a preview for good pins it in place", () => {
  const tabs = tabsWith("a");
  tabs.open("b", false);
  tabs.open("b", true);
  tabs.open("c", false);
  expect(drawn(tabs)).toEqual(["a", "b", "~c*"]);
});

test("looking at a pinned file does not unpin it", () => {
  const tabs = tabsWith("a", "b");
  tabs.open("a", false);
  expect(drawn(tabs)).toEqual(["a*", "b"]);
});

test("a new tab opens beside the chosen one", () => {
  const tabs = tabsWith("a", "b");
  tabs.activate("a");
  tabs.open("c", true);
  expect(drawn(tabs)).toEqual(["a", "c*", "b"]);
});

test("closing chooses the neighbour on the right, else on the left, else none", () => {
  const tabs = tabsWith("a", "b", "c");
  tabs.activate("b");
  tabs.close("b");
  expect(drawn(tabs)).toEqual(["a", "c*"]);
  tabs.close("c");
  expect(drawn(tabs)).toEqual(["a*"]);
  tabs.close("a");
  expect([drawn(tabs), tabs.active]).toEqual([[], null]);
});

test("closing the others keeps one", () => {
  const tabs = tabsWith("a", "b", "c");
  tabs.closeOthers("b");
  expect(drawn(tabs)).toEqual(["b*"]);
});

test("tabs move by steps and stop at the ends", () => {
  const tabs = tabsWith("a", "b", "c");
  tabs.moveBy("a", 1);
  expect(drawn(tabs)).toEqual(["b", "a", "c*"]);
  tabs.moveBy("b", -1);
  tabs.moveTo("b", 9);
  expect(drawn(tabs)).toEqual(["a", "c*", "b"]);
});

test("next and previous go round the end", () => {
  const tabs = tabsWith("a", "b");
  tabs.step(1);
  expect(tabs.active).toBe("a");
  tabs.step(-1);
  expect(tabs.active).toBe("b");
});

test("a reload brings back tabs, choice and recent files, for each project its own", () => {
  const tabs = tabsWith("a", "b");
  tabs.open("c", false);
  tabs.activate("a");
  const again = new Tabs("p1");
  expect([drawn(again), again.recent]).toEqual([["a*", "b", "~c"], ["a", "c", "b"]]);
  expect(drawn(new Tabs("p2"))).toEqual([]);
});

test.each(["{", "[]", '{"items":[{"path":1}],"active":null}', "null"])("a broken memory is no memory: %s", (memory) => {
  localStorage.setItem("recto.tabs.p1", memory);
  expect(drawn(new Tabs("p1"))).toEqual([]);
});

test("closed tabs come back, the last one first, by the names that they have now", () => {
  const tabs = tabsWith("a", "b", "c", "d");
  tabs.close("b");
  tabs.closeOthers("d");
  tabs.rename("a", "z");
  for (let step = 0; step < 4; step += 1) tabs.reopen();
  expect(drawn(tabs)).toEqual(["d", "c", "z", "b*"]);
  expect(tabs.closed).toEqual([]);
});
