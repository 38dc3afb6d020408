import { expect, test } from "vitest";
import { type Entry, type FolderPage, RequestFailed, unreachable } from "../../api";
import { entry, FakeServer } from "../../fakes/fake-server";
import { type ReadFolder, FileTree } from "./tree.svelte";
import { Note, type Row, TreeNode } from "./tree-rows";

const FILES = { "README.md": "", "manuscript/methods.md": "", "manuscript/results.md": "", "pipeline/a/b.py": "" };

function reader(server: FakeServer): ReadFolder {
  return (path) => Promise.resolve({ path, items: server.entries(path), nextCursor: null });
}

async function opened(files: Record<string, string> = FILES) {
  const server = new FakeServer(files);
  const tree = new FileTree(reader(server));
  await tree.start();
  return { server, tree };
}

function drawn(tree: FileTree): string[] {
  return tree.rows.map((row) => "  ".repeat(row.depth) + (row instanceof Note ? `(${row.kind})` : row.name));
}

function node(tree: FileTree, name: string): TreeNode {
  const found = tree.rows.find((row) => row instanceof TreeNode && row.name === name);
  if (!(found instanceof TreeNode)) throw new Error(`No row is named ${name}.`);
  return found;
}

test("a folder is read when it is opened, and shows below itself", async () => {
  const { tree } = await opened();
  expect(drawn(tree)).toEqual(["manuscript", "pipeline", "README.md"]);
  await tree.expand(node(tree, "manuscript"));
  expect(drawn(tree)).toEqual(["manuscript", "  methods.md", "  results.md", "pipeline", "README.md"]);
});

test("a closed folder opens again as it was, without a read", async () => {
  const { tree } = await opened();
  await tree.expand(node(tree, "pipeline"));
  await tree.expand(node(tree, "a"));
  const open = drawn(tree);
  tree.collapse(node(tree, "pipeline"));
  expect(drawn(tree)).toEqual(["manuscript", "pipeline", "README.md"]);
  await tree.expand(node(tree, "pipeline"));
  expect(drawn(tree)).toEqual(open);
});

test("an empty folder and an empty project say so", async () => {
  const { tree } = await opened({});
  expect(drawn(tree)).toEqual(["(empty)"]);
});

test("a change on disk keeps expansion and the focused row", async () => {
  const { server, tree } = await opened();
  await tree.expand(node(tree, "manuscript"));
  tree.focused = node(tree, "results.md");
  server.files.set("manuscript/abstract.md", "");
  server.files.set("aaa.md", "");
  await tree.refresh(["manuscript", ""]);
  expect(drawn(tree)).toEqual(["manuscript", "  abstract.md", "  methods.md", "  results.md", "pipeline", "aaa.md", "README.md"]);
  expect(tree.focused).toBe(node(tree, "results.md"));
});

test("only loaded folders that are named are read again", async () => {
  const asked: string[] = [];
  const server = new FakeServer(FILES);
  const tree = new FileTree((path) => {
    asked.push(path);
    return reader(server)(path);
  });
  await tree.start();
  await tree.expand(node(tree, "manuscript"));
  asked.length = 0;
  await tree.refresh(["pipeline", "manuscript", "elsewhere"]);
  expect(asked).toEqual(["manuscript"]);
  await tree.refresh([], true);
  expect(asked).toEqual(["manuscript", "", "manuscript"]);
});

test("when the focused file goes, the focus goes to the row in its place", async () => {
  const { server, tree } = await opened();
  await tree.expand(node(tree, "manuscript"));
  tree.focused = node(tree, "methods.md");
  server.files.delete("manuscript/methods.md");
  await tree.refresh(["manuscript"]);
  expect(tree.focused).toBe(node(tree, "results.md"));
});

test("closing a folder takes the focus out of it", async () => {
  const { tree } = await opened();
  await tree.expand(node(tree, "manuscript"));
  tree.focused = node(tree, "results.md");
  tree.collapse(node(tree, "manuscript"));
  expect(tree.focused).toBe(node(tree, "manuscript"));
});

test("a change in a closed folder changes no row", async () => {
  const { server, tree } = await opened();
  await tree.expand(node(tree, "manuscript"));
  tree.collapse(node(tree, "manuscript"));
  server.files.set("manuscript/new.md", "");
  await tree.refresh(["manuscript"]);
  expect(drawn(tree)).toEqual(["manuscript", "pipeline", "README.md"]);
  await tree.expand(node(tree, "manuscript"));
  expect(drawn(tree)).toContain("  new.md");
});

test("a folder that cannot be read says why and can be read again", async () => {
  let fails = true;
  const server = new FakeServer(FILES);
  const tree = new FileTree((path) => {
    const problem = { type: "about:blank", title: "", status: 403, detail: "Permission denied." };
    return fails && path === "manuscript" ? Promise.reject(new RequestFailed(problem)) : reader(server)(path);
  });
  await tree.start();
  const folder = node(tree, "manuscript");
  await tree.expand(folder);
  expect(drawn(tree)).toEqual(["manuscript", "  (problem)", "pipeline", "README.md"]);
  expect(folder.problem?.detail).toBe("Permission denied.");
  fails = false;
  await tree.retry(folder);
  expect(drawn(tree)).toEqual(["manuscript", "  methods.md", "  results.md", "pipeline", "README.md"]);
});

test("an answer overtaken by a newer read is dropped", async () => {
  const answers: ((page: FolderPage) => void)[] = [];
  const tree = new FileTree(() => new Promise((resolve) => answers.push(resolve)));
  const first = tree.start();
  const second = tree.start();
  answers[1]?.({ path: "", items: [entry("new.md")], nextCursor: null });
  answers[0]?.({ path: "", items: [entry("old.md")], nextCursor: null });
  await Promise.all([first, second]);
  expect(drawn(tree)).toEqual(["new.md"]);
});

test("revealing a file opens the folders above it", async () => {
  const { tree } = await opened();
  await tree.reveal("pipeline/a/b.py");
  expect(drawn(tree)).toEqual(["manuscript", "pipeline", "  a", "    b.py", "README.md"]);
  expect([tree.selected, tree.focused?.key]).toEqual(["pipeline/a/b.py", "/pipeline/a/b.py"]);
});

test("a large folder comes in pages, each read when its end is reached", async () => {
  const tree = new FileTree(pages(12, 5));
  await tree.start();
  expect(drawn(tree)).toEqual([...names(0, 5), "(more)"]);
  await tree.more(tree.root);
  expect(drawn(tree)).toEqual([...names(0, 10), "(more)"]);
  await tree.more(tree.root);
  expect(drawn(tree)).toEqual(names(0, 12));
  await tree.refresh([""]);
  expect(drawn(tree)).toEqual(names(0, 12));
});

test("a page that fails is told once and not asked for again by itself", async () => {
  const server = pages(12, 5);
  let asked = 0;
  let away = false;
  const tree = new FileTree((path, cursor) => {
    asked += 1;
    return away ? Promise.reject(new RequestFailed(unreachable())) : server(path, cursor);
  });
  await tree.start();
  away = true;
  await tree.more(tree.root);
  await tree.more(tree.root);
  expect([asked, drawn(tree)]).toEqual([2, [...names(0, 5), "(problem)"]]);
  away = false;
  await tree.retry(tree.root);
  expect(drawn(tree)).toEqual([...names(0, 10), "(more)"]);
});

test("a lost server does not empty the tree, a lost folder does", async () => {
  const server = new FakeServer(FILES);
  let status: number | null = null;
  const tree = new FileTree((path) => (status === null ? reader(server)(path) : Promise.reject(new RequestFailed({ ...unreachable(), status }))));
  await tree.start();
  status = 0;
  await tree.refresh([""]);
  expect(drawn(tree)).toEqual(["manuscript", "pipeline", "README.md"]);
  status = 404;
  await tree.refresh([""]);
  expect(drawn(tree)).toEqual(["(problem)"]);
  status = null;
  await tree.refresh([""]);
  expect(drawn(tree)).toEqual(["manuscript", "pipeline", "README.md"]);
});

test("scrolling a hundred thousand rows touches only what is seen", async () => {
  const { tree, touched } = await counted(100_000);
  touched.clear();
  const seen = tree.window(50_000, 40);
  for (const row of seen) expect(row.depth).toBe(0);
  expect([seen.length, touched.size]).toEqual([40, 40]);
});

test("opening and closing a folder among a hundred thousand rows touches only its children", async () => {
  const { tree, touched } = await counted(100_000);
  const folder = node(tree, "folder");
  await tree.expand(folder);
  touched.clear();
  tree.collapse(folder);
  await tree.expand(folder);
  expect(tree.rows.length).toBe(100_004);
  expect(touched.size).toBeLessThanOrEqual(5);
});

function names(from: number, to: number): string[] {
  return Array.from({ length: to - from }, (_, index) => `f${String(from + index)}`);
}

function pages(total: number, size: number): ReadFolder {
  return (path, cursor = "0") => {
    const start = Number(cursor);
    const end = Math.min(total, start + size);
    return Promise.resolve({ path, items: names(start, end).map((name) => entry(name)), nextCursor: end < total ? String(end) : null });
  };
}

/** A tree of many rows whose every look at a row's depth is noted. */
async function counted(total: number): Promise<{ tree: FileTree; touched: Set<Row> }> {
  const touched = new Set<Row>();
  const rootItems: Entry[] = [entry("folder", "folder"), ...names(0, total).map((name) => entry(name))];
  const inside = ["x", "y", "z"].map((name) => entry(`folder/${name}`));
  const tree = new FileTree((path) => Promise.resolve({ path, items: path === "" ? rootItems : inside, nextCursor: null }));
  await tree.start();
  await tree.expand(node(tree, "folder"));
  for (const row of tree.rows) {
    const depth = row.depth;
    Object.defineProperty(row, "depth", {
      get() {
        touched.add(row);
        return depth;
      },
    });
  }
  tree.collapse(node(tree, "folder"));
  return { tree, touched };
}

test("a read that a newer one overtakes ends when the tree shows what it was for", async () => {
  const server = new FakeServer({ "a.md": "" });
  const waiting: (() => void)[] = [];
  let isHeld = false;
  const tree = new FileTree(async (path) => {
    if (isHeld) await new Promise<void>((resolve) => { waiting.push(resolve); });
    return { path, items: server.entries(path), nextCursor: null };
  });
  await tree.start();
  isHeld = true;
  const first = tree.refresh([""]).then(() => tree.bringTo("b.md"));
  const second = tree.refresh([""]);
  server.files.set("b.md", "");
  for (const go of waiting) {
    go();
    await new Promise((resolve) => { setTimeout(resolve); });
  }
  await Promise.all([first, second]);
  expect(tree.focused).toBe(node(tree, "b.md"));
});
