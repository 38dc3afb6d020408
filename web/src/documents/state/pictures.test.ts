import { expect, test } from "vitest";
import { Pictures } from "./pictures.svelte";

test("a picture has another version when its folder changed, or anything may have", () => {
  const pictures = new Pictures();
  const versions = () => ["figures/a.png", "b.png"].map((path) => pictures.versionOf(path));
  expect(versions()).toEqual([0, 0]);
  pictures.onFiles(["figures"], false);
  expect(versions()).toEqual([1, 0]);
  pictures.onFiles([""], false);
  expect(versions()).toEqual([1, 2]);
  pictures.onFiles([], true);
  expect([versions(), pictures.changes]).toEqual([[3, 3], 3]);
});
