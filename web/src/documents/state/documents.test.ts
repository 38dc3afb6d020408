import { expect, test, vi } from "vitest";
import { Client } from "../../api";
import { FakeServer } from "../../fakes/fake-server";
import { Documents, type LiveStatus } from "./documents.svelte";

function setUp(files: Record<string, string>) {
  const server = new FakeServer(files);
  const client = new Client({ fetch: server.fetch });
  return { server, documents: new Documents({ file: (path) => client.file("p1", path), facts: (path) => client.fileFacts("p1", path), part: (path, where) => client.filePart("p1", path, where) }) };
}

test("a file is read once, until it changes", async () => {
  const { server, documents } = setUp({ "a/x.md": "one" });
  await documents.show("a/x.md");
  await documents.show("a/x.md");
  expect(server.asked).toEqual(["GET /projects/p1/file?path=a/x.md"]);
  server.files.set("a/x.md", "two");
  await documents.refresh(["a"], false, "a/x.md");
  expect(documents.get("a/x.md").file?.text).toBe("two");
});

test("a change elsewhere, or the same text again, changes nothing", async () => {
  const { server, documents } = setUp({ "a/x.md": "one" });
  await documents.show("a/x.md");
  const before = documents.get("a/x.md").file;
  await documents.refresh(["b"], false, "a/x.md");
  expect(server.asked.length).toBe(1);
  await documents.refresh(["a"], false, "a/x.md");
  expect(documents.get("a/x.md").file).toBe(before);
});

test("a deleted file keeps its last text and says that it is gone", async () => {
  const { server, documents } = setUp({ "x.md": "one" });
  await documents.show("x.md");
  server.files.delete("x.md");
  await documents.refresh([""], false, "x.md");
  const open = documents.get("x.md");
  expect([open.deleted, open.file?.text, open.problem]).toEqual([true, "one", null]);
  server.files.set("x.md", "one");
  await documents.refresh([""], false, "x.md");
  expect(open.deleted).toBe(false);
});

test("a text that is too large to be edited is shown in parts, and stays where it was when it changes", async () => {
  const { server, documents } = setUp({ "a.log": "one\ntwo\nthree", "a.pdf": "one\ntwo\nthree" });
  server.largest = 5;
  await documents.show("a.log");
  const open = documents.get("a.log");
  expect([open.file, open.problem, open.part?.text, open.part?.parts]).toEqual([null, null, "one", 3]);
  await documents.turnTo("a.log", { part: 3 });
  expect(open.part?.text).toBe("three");
  server.files.set("a.log", "one\ntwo\nthree, and more");
  await documents.refresh([""], false, "a.log");
  expect(open.part?.text).toBe("three, and more");
  open.goTo = { line: 2, column: 1 };
  await documents.load("a.log");
  expect(open.part?.firstLine).toBe(2);
  server.files.set("a.log", "one");
  await documents.refresh([""], false, "a.log");
  expect([open.part, open.file?.text]).toEqual([null, "one"]);
  await documents.show("a.pdf");
  expect(documents.get("a.pdf").problem?.status).toBe(413);
});

test("a file that never was there is a problem", async () => {
  const { documents } = setUp({});
  await documents.show("x.md");
  expect(documents.get("x.md").problem?.status).toBe(404);
});

test("while the server is away the text stays, and is read again when it is back", async () => {
  const { server, documents } = setUp({ "x.md": "one" });
  await documents.show("x.md");
  server.reachable = false;
  await documents.refresh([""], false, "x.md");
  const open = documents.get("x.md");
  expect([open.problem, open.file?.text]).toEqual([null, "one"]);
  server.reachable = true;
  server.files.set("x.md", "two");
  await documents.show("x.md");
  expect(open.file?.text).toBe("two");
});

test("a file in another tab is read again when it is shown", async () => {
  const { server, documents } = setUp({ "x.md": "one", "y.md": "one" });
  await documents.show("x.md");
  await documents.show("y.md");
  server.files.set("x.md", "two");
  await documents.refresh([""], false, "y.md");
  expect(documents.get("x.md").file?.text).toBe("one");
  await documents.show("x.md");
  expect(documents.get("x.md").file?.text).toBe("two");
});

const SAVED: LiveStatus = {
  synced: true, online: true, waiting: 0, saved: true, saving: false, gone: false, problem: null, needsUtf8: false, theirs: null, refused: null, left: null,
};

test.each<[Partial<LiveStatus>, string]>([
  [{ synced: false }, "Opening…"],
  [{ synced: false, refused: "It is too large." }, "Read-only"],
  [{}, "Saved"],
  [{ saved: false }, "Saving…"],
  [{ saving: true }, "Saving…"],
  [{ waiting: 1 }, "Saving…"],
  [{ saved: false, gone: true }, "Not in the folder"],
  [{ saved: false, gone: true, saving: true }, "Saving…"],
  [{ online: false }, "Offline"],
  [{ online: false, waiting: 1 }, "Offline, 1 edit waiting"],
  [{ online: false, waiting: 3, saved: false }, "Offline, 3 edits waiting"],
  [{ saved: false, problem: "The disk is full." }, "Not saved"],
  [{ saved: false, theirs: "other" }, "Two versions"],
])("a text that stands like %j is said to be %j", (news, words) => {
  const { documents } = setUp({});
  const open = documents.get("x.md");
  expect(open.standing).toBe("Opening…");
  documents.onStatus("x.md", { ...SAVED, ...news });
  expect(open.standing).toBe(words);
});

test("a live text is not read again when its file was written, only how it is stored; once it is another text, it is", async () => {
  const { server, documents } = setUp({ "x.md": "one" });
  await documents.show("x.md");
  documents.onStatus("x.md", SAVED);
  const { file } = documents.get("x.md");
  server.files.set("x.md", "one, two");
  server.asked.length = 0;
  await documents.refresh([""], false, "x.md");
  const now = documents.get("x.md").file;
  expect([server.asked, now?.text, now?.size, now?.hash === file?.hash]).toEqual([["GET /projects/p1/file-facts?path=x.md"], "one", 8, false]);
  documents.onStatus("x.md", { ...SAVED, synced: false });
  await vi.waitFor(() => { expect(documents.get("x.md").file?.text).toBe("one, two"); });
  server.files.delete("x.md");
  await documents.refresh([""], false, "x.md");
  expect(documents.get("x.md").deleted).toBe(true);
});

test("closing the documents closes what keeps them in step", () => {
  const { documents } = setUp({});
  const done: string[] = [];
  documents.connect({
    keepOnly: (paths) => { done.push(`keep ${paths.join()}`); },
    rename: (path, newPath) => { done.push(`rename ${path} ${newPath}`); },
    save: () => undefined, resolve: () => undefined, takeLeft: () => false, forgetLeft: () => undefined, waiting: 0,
    retryNow: () => { done.push("retry"); },
    close: () => { done.push("close"); },
  });
  documents.keep(["x.md"]);
  void documents.refresh([], true, null);
  documents.close();
  expect([done, documents.sync]).toEqual([["keep x.md", "retry", "close"], null]);
});

test("who waits for a text's edits to be stored waits until they are, or nobody can be told", async () => {
  const { documents } = setUp({});
  documents.get("x.md");
  const done: string[] = [];
  const wait = (name: string) => void documents.stored("x.md").then(() => done.push(name));
  wait("nothing is live");
  documents.onStatus("x.md", { ...SAVED, waiting: 2 });
  wait("stored");
  documents.onStatus("x.md", { ...SAVED, waiting: 1 });
  await Promise.resolve();
  expect(done).toEqual(["nothing is live"]);
  documents.onStatus("x.md", SAVED);
  await Promise.resolve();
  documents.onStatus("x.md", { ...SAVED, waiting: 1 });
  wait("offline");
  documents.onStatus("x.md", { ...SAVED, online: false, waiting: 1 });
  await Promise.resolve();
  expect(done).toEqual(["nothing is live", "stored", "offline"]);
});

test("a Word document is left to the view that shows it: no text is asked for, and what was typed is stored by that view", async () => {
  const { server, documents } = setUp({ "a.docx": "PK" });
  await documents.show("a.docx");
  const open = documents.get("a.docx");
  expect([server.asked, open.problem, open.reads]).toEqual([[], null, 1]);
  await documents.refresh([""], false, "a.docx");
  expect([server.asked, open.reads]).toEqual([[], 2]);
  const stored: string[] = [];
  open.store = () => { stored.push("a.docx"); return Promise.resolve(); };
  await documents.stored("a.docx");
  expect(stored).toEqual(["a.docx"]);
});
