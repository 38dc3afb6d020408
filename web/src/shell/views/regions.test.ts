import { expect, test } from "vitest";
import { giveFocusBack } from "./regions";

test("what a region that goes leaves is taken by the page without a ring, until the focus moves on", () => {
  document.body.replaceChildren();
  const [page, region, inside] = [document.createElement("main"), document.createElement("section"), document.createElement("button")];
  page.tabIndex = -1;
  region.append(inside);
  document.body.append(page, region);
  inside.focus();
  const goes = giveFocusBack(region);
  goes();
  expect([document.activeElement, page.dataset.quiet]).toEqual([page, ""]);
  inside.focus();
  expect(page.dataset.quiet).toBeUndefined();
  giveFocusBack(region, inside)();
  expect(document.activeElement).toBe(inside);
});
