import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { PageStyles } from "./look";
import type { PageStyle } from "./model";

const HEADING: PageStyle = { id: "Heading1", name: "heading 1", kind: "paragraph", bold: true };

beforeEach(() => {
  document.adoptedStyleSheets = [];
  vi.stubGlobal("CSS", { escape: (text: string) => text });
  vi.stubGlobal("CSSStyleSheet", class { replaceSync() { /* What it says is of no matter here. */ } });
});

afterEach(() => { vi.unstubAllGlobals(); });

test("a page gets another sheet of styles only when its styles are others", () => {
  const styles = new PageStyles("[data-page]");
  styles.show([HEADING]);
  const [first] = document.adoptedStyleSheets;
  // Read anew with each edit, and the same.
  styles.show([{ ...HEADING }]);
  expect(document.adoptedStyleSheets).toEqual([first]);
  expect(document.adoptedStyleSheets[0]).toBe(first);
  styles.show([{ ...HEADING, bold: false }]);
  expect(document.adoptedStyleSheets).toHaveLength(1);
  expect(document.adoptedStyleSheets[0]).not.toBe(first);
  styles.remove();
  expect(document.adoptedStyleSheets).toEqual([]);
});
