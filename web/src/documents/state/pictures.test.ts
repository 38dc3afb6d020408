import { expect, test } from "vitest";
import { Pictures } from "./pictures.svelte";

test("a picture has another version when its folder changed, or anything may have", () => {
  const pictures = new Pictures(() => Promise.resolve([]));
  const versions = () => ["figures/a.png", "b.png"].map((path) => pictures.versionOf(path));
  expect(versions()).toEqual([0, 0]);
  pictures.onFiles(["figures"], false);
  expect(versions()).toEqual([1, 0]);
  pictures.onFiles([""], false);
  expect(versions()).toEqual([1, 2]);
  pictures.onFiles([], true);
  expect([versions(), pictures.changes]).toEqual([[3, 3], 3]);
});

test("a picture that is only named is found: beside the file, at its path, or nearest to the top, and again when it comes", async () => {
  const files = ["deep/er/gauge.png", "attached/gauge.png", "notes/gauge.png", "gauge.png.md", "old-gauge.png"];
  const asked: string[] = [];
  const pictures = new Pictures((name) => {
    asked.push(name);
    return Promise.resolve([...files]);
  });
  const named = (name: string, file = "a.md") => pictures.named(name, file);
  expect([named("gauge.png"), named("none.png")]).toEqual([undefined, undefined]);
  await Promise.resolve();
  expect([named("gauge.png"), named("Gauge.png", "notes/b.md"), named("none.png"), pictures.changes]).toEqual(["attached/gauge.png", undefined, null, 2]);
  await Promise.resolve();
  expect([named("Gauge.png", "notes/b.md"), named("gauge.png", "notes/b.md"), asked.length]).toEqual(["notes/gauge.png", "notes/gauge.png", 3]);
  files.push("none.png");
  pictures.onFiles(["elsewhere"], false);
  expect([named("gauge.png"), named("none.png"), asked.length]).toEqual(["attached/gauge.png", null, 4]);
  await Promise.resolve();
  expect(named("none.png")).toBe("none.png");
  files.shift();
  pictures.onFiles(["deep/er"], false);
  named("gauge.png");
  expect(asked.length).toBe(5);
});
