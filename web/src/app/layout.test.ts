import { expect, test } from "vitest";
import { Layout } from "./layout.svelte";

function layoutAt(viewport: number): Layout {
  const layout = new Layout();
  layout.viewport = viewport;
  return layout;
}

test.each([
  [1080, 216, 376],
  [1440, 256, 440],
  [3840, 288, 576],
])("at %i pixels the panels are %i and %i wide", (viewport, left, right) => {
  const layout = layoutAt(viewport);
  expect([layout.mode, layout.width("left"), layout.width("right")]).toEqual(["wide", left, right]);
});

test.each([
  [400, "single"],
  [899, "single"],
  [900, "overlay"],
  [1079, "overlay"],
])("at %i pixels the layout is %s", (viewport, mode) => {
  expect(layoutAt(viewport).mode).toBe(mode);
});

test("a panel stays between its limits and leaves the document its room", () => {
  const layout = layoutAt(1440);
  layout.resize("left", 9000);
  expect(layout.width("left")).toBe(480);
  layout.resize("right", 9000);
  expect(layout.width("right")).toBe(1440 - 480 - 400);
  layout.resize("right", 200);
  expect(layout.width("right")).toBe(304);
});

test("a panel dragged very narrow closes, and opens at its old width", () => {
  const layout = layoutAt(1440);
  layout.resize("left", 300);
  layout.resize("left", 60);
  expect(layout.leftHidden).toBe(true);
  layout.toggleLeft();
  expect([layout.leftHidden, layout.width("left")]).toEqual([false, 300]);
});

test("sizes are remembered and reset", () => {
  layoutAt(1440).resize("left", 333);
  const again = layoutAt(1440);
  expect(again.width("left")).toBe(333);
  again.reset("left");
  expect(layoutAt(1440).width("left")).toBe(256);
});

test("in a narrow window the files are an overlay that opening a document closes", () => {
  const layout = layoutAt(1000);
  expect(layout.leftHidden).toBe(true);
  layout.toggleLeft();
  expect(layout.leftHidden).toBe(false);
  layout.showDocument();
  expect(layout.leftHidden).toBe(true);
});

test("at 400 pixels one page shows at a time", () => {
  const layout = layoutAt(400);
  expect([layout.versoHidden, layout.rightHidden]).toEqual([true, false]);
  layout.showDocument();
  expect([layout.versoHidden, layout.rightHidden]).toEqual([false, true]);
});

test("larger text makes the window narrower", () => {
  const layout = new Layout();
  layout.measure(1200, 20);
  expect([layout.viewport, layout.mode]).toEqual([960, "overlay"]);
});

test.each([
  [1440, false, true],
  [1180, false, false],
  [1180, true, true],
  [1000, true, false],
])("at %i pixels, right page hidden %s, a split is offered: %s", (viewport, hidden, offered) => {
  const layout = layoutAt(viewport);
  if (hidden) layout.toggleRight();
  expect(layout.canSplit).toBe(offered);
});

test("focus mode hides the panels; who asks for one gets it and leaves the mode", () => {
  const layout = layoutAt(1440);
  layout.toggleFocus();
  expect([layout.leftHidden, layout.rightHidden]).toEqual([true, true]);
  layout.toggleFocus();
  expect([layout.leftHidden, layout.rightHidden]).toEqual([false, false]);
  layout.toggleFocus();
  layout.toggleLeft();
  expect([layout.focus, layout.leftHidden, layout.rightHidden]).toEqual([false, false, false]);
});
