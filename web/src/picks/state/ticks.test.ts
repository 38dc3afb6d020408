import { expect, test } from "vitest";
import { fakePicking } from "../../chat-library/state/fake-picking";
import { entry } from "../../fakes/fake-server";
import { FILES_MAX } from "./picked.svelte";
import { Ticks } from "./ticks.svelte";
import { rootNode, TreeNode } from "../../files/state/tree-rows";

const node = (path: string, kind: "file" | "folder" = "file") => new TreeNode(entry(path, kind), rootNode());
const manuscript = node("manuscript", "folder");

function setUp(held: readonly string[] = ["manuscript/a.md", "manuscript/old/b.md", "README.md"]) {
  const disk = new Set(held);
  const asked: string[] = [];
  const { picked } = fakePicking();
  const ticks = new Ticks({
    picked,
    readUnder: (folder, limit) => {
      asked.push(`${folder} ${String(limit)}`);
      const inside = [...disk].filter((path) => path.startsWith(`${folder}/`));
      return Promise.resolve({ items: inside.slice(0, limit).map((path) => ({ path, positions: [] })), total: inside.length, truncated: false });
    },
  });
  return { ticks, picked, disk, asked };
}

test("a folder ticks every file in it, at any depth, and unticks them all", async () => {
  const { ticks, picked } = setUp();
  expect(await ticks.toggle(manuscript)).toBeNull();
  expect([[...picked.files], ticks.stateOf(manuscript), ticks.stateOf(node("README.md"))]).toEqual([["manuscript/a.md", "manuscript/old/b.md"], "on", "off"]);
  await ticks.toggle(node("manuscript/a.md"));
  expect(ticks.stateOf(manuscript)).toBe("some");
  await ticks.toggle(manuscript);
  expect(ticks.stateOf(manuscript), "partly ticked becomes wholly ticked").toBe("on");
  await ticks.toggle(manuscript);
  expect([picked.files.size, ticks.stateOf(manuscript)]).toEqual([0, "off"]);
});

test("a folder in view is asked about once, where ticks lie in it, and again after a change inside", async () => {
  const { ticks, picked, disk, asked } = setUp();
  await ticks.show(["manuscript"]);
  expect(asked, "no tick lies in it").toEqual([]);
  picked.setFiles(["manuscript/a.md", "manuscript/old/b.md"], true);
  expect(ticks.stateOf(manuscript), "until it is known").toBe("some");
  await ticks.show(["manuscript"]);
  await ticks.show(["manuscript"]);
  expect([asked, ticks.stateOf(manuscript)]).toEqual([["manuscript 1"], "on"]);
  disk.add("manuscript/new.md");
  ticks.onFiles(["pipeline"], false);
  await ticks.show(["manuscript"]);
  expect(asked).toHaveLength(1);
  ticks.onFiles(["manuscript"], false);
  expect(ticks.stateOf(manuscript), "what was known stands until it is read again").toBe("on");
  await ticks.show(["manuscript"]);
  expect([asked.length, ticks.stateOf(manuscript)]).toEqual([2, "some"]);
});

test("what can't be ticked says why", async () => {
  const many = Array.from({ length: FILES_MAX + 1 }, (_, at) => `big/${String(at)}`);
  const { ticks, picked } = setUp(many);
  expect(await ticks.toggle(node("big", "folder"))).toBe("big holds 10,001 files. At most 10,000 files can be ticked.");
  expect(await ticks.toggle(node("build", "folder"))).toContain("build holds no file that could be ticked at once.");
  expect(await ticks.toggle(new TreeNode({ ...entry("bad"), path: null }, rootNode()))).toContain("its name is not valid text");
  expect(picked.files.size).toBe(0);
});
