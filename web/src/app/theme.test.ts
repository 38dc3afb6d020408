import { expect, test } from "vitest";
import { Theme } from "./theme.svelte";

const root = () => document.createElement("html");
const attributes = (page: HTMLElement) => page.getAttributeNames().map((name) => `${name}=${page.getAttribute(name) ?? ""}`);

test("the system's theme needs no attribute", () => {
  const page = root();
  expect(new Theme(page).choice).toBe("system");
  expect(attributes(page)).toEqual([]);
});

test("a chosen theme and size show on the page and are remembered", () => {
  const page = root();
  const theme = new Theme(page);
  theme.choice = "dark";
  theme.textSize = "large";
  expect(attributes(page)).toEqual(["data-theme=dark", "data-text-size=large"]);
  const again = root();
  const remembered = new Theme(again);
  expect([remembered.choice, remembered.textSize, attributes(again)]).toEqual(["dark", "large", ["data-theme=dark", "data-text-size=large"]]);
  remembered.choice = "system";
  expect(attributes(again)).toEqual(["data-text-size=large"]);
});

test("a memory that is no theme is ignored", () => {
  localStorage.setItem("recto.theme", '"pink"');
  expect(new Theme(root()).choice).toBe("system");
});
