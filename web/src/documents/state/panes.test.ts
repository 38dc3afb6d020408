import { expect, test } from "vitest";
import { Panes } from "./panes.svelte";

function panesWith(...paths: string[]): Panes {
  const panes = new Panes("p1");
  for (const path of paths) panes.active.open(path, true);
  return panes;
}

const drawn = (panes: Panes) =>
  panes.items.map((tabs) => (tabs === panes.active ? ">" : "") + tabs.items.map(({ path }) => path + (path === tabs.active ? "*" : "")).join(" "));

test("a split shows the same file a second time, and one is there", () => {
  const panes = panesWith("a", "b");
  panes.split();
  expect([drawn(panes), panes.shown, panes.paths]).toEqual([["a b*", ">b*"], ["b"], ["a", "b"]]);
});

test("without a file there is nothing to split, and two sides are enough", () => {
  const panes = panesWith();
  panes.split();
  expect(drawn(panes)).toEqual([">"]);
  panes.active.open("a", true);
  panes.split();
  panes.split();
  expect(drawn(panes)).toEqual(["a*", ">a*"]);
});

test("each side has its own tabs, and what opens opens where one is", () => {
  const panes = panesWith("a");
  panes.split();
  panes.active.open("c", true);
  panes.focusOther();
  panes.active.open("d", true);
  expect([drawn(panes), panes.shown]).toEqual([[">a d*", "a c*"], ["d", "c"]]);
});

test("closing the split keeps every tab and what one looked at", () => {
  const panes = panesWith("a", "b");
  panes.split();
  panes.active.open("c", true);
  panes.join();
  expect([drawn(panes), panes.isSplit]).toEqual([[">a b c*"], false]);
});

test("closing the right side leaves the left as it was", () => {
  const panes = panesWith("a", "b");
  panes.split();
  panes.active.open("c", true);
  panes.join(panes.items[0]);
  expect(drawn(panes)).toEqual([">a b* c"]);
});

test("a side whose last tab is closed goes, whichever it is", () => {
  const right = panesWith("a", "b");
  right.split();
  right.active.closeAll();
  right.settle();
  expect(drawn(right)).toEqual([">a b*"]);
  right.split();
  right.focusOther();
  right.active.closeAll();
  right.settle();
  expect(drawn(right)).toEqual([">b*"]);
});

test("a reload brings the split back, and the recent files are of both sides", () => {
  const panes = panesWith("a");
  panes.split();
  panes.active.open("c", true);
  const again = new Panes("p1");
  expect([drawn(again), again.active.recent]).toEqual([[">a*", "a c*"], ["c", "a"]]);
  again.join();
  expect(drawn(new Panes("p1"))).toEqual([">a* c"]);
});

test("a reload brings back this tab's own files and split, whatever other tabs have opened since", () => {
  const panes = panesWith("a");
  panes.split();
  const [files, split] = ["recto.tabs.p1", "recto.split.p1"];
  localStorage.setItem(files, '{"items":[{"path":"z","pinned":true}],"active":"z"}');
  localStorage.setItem(split, "false");
  expect(drawn(new Panes("p1"))).toEqual([">a*", "a*"]);
  sessionStorage.clear();
  expect(drawn(new Panes("p1")), "a new tab begins with what was open last").toEqual([">z*"]);
});

test("a remembered split without tabs on the right is none", () => {
  localStorage.setItem("recto.split.p1", "true");
  expect(new Panes("p1").isSplit).toBe(false);
});
