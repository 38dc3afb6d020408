import { expect, test } from "vitest";
import { PdfLayout } from "./pdf-layout";

const A4 = { width: 600, height: 800 };

test("of a thousand pages few show, and each is found by its place", () => {
  const layout = new PdfLayout(Array.from({ length: 1000 }, () => A4), 0.5);
  expect([layout.height, layout.width]).toEqual([416_000, 300]);
  expect(layout.showing(416 * 699, 900)).toEqual([699, 700, 701, 702, 703]);
  expect([layout.pageAt(0), layout.pageAt(415), layout.pageAt(416), layout.pageAt(10_000_000)]).toEqual([1, 1, 2, 1000]);
  expect(layout.boxOf(3)).toEqual({ top: 832, width: 300, height: 400 });
});

test("a place stays where it is when pages turn out to be of another size", () => {
  const place = new PdfLayout([A4, A4, A4], 1).placeAt(816 + 400);
  expect(place).toEqual({ page: 2, part: 0.5 });
  expect(new PdfLayout([{ width: 600, height: 200 }, A4, A4], 2).yOf(place)).toBe(416 + 800);
});

test("no file is longer than a browser can scroll", () => {
  expect(new PdfLayout(Array.from({ length: 100_000 }, () => A4), 4).height).toBeLessThanOrEqual(30_000_001);
});
