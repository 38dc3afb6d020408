import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { type NewTurn, RequestFailed, unreachable } from "../../api";
import { part, preview } from "../../fakes/fake-previews";
import { Composer, type ComposerSource } from "./composer.svelte";
import { fakeComposerSource } from "../../chat-library/state/fake-picking";
import { type PickedItems, NOTHING } from "../../picks/state/pick-values";

beforeEach(() => { vi.useFakeTimers(); });
afterEach(() => { vi.useRealTimers(); });

function setUp(given: Partial<ComposerSource> = {}, chatId: string | null = "c1") {
  const ran: string[] = [];
  const measured: NewTurn[] = [];
  const source: ComposerSource = {
    ...fakeComposerSource(),
    readNames: (query) => Promise.resolve({ items: ["notes/plan.md", "README.md"].filter((path) => path.includes(query)).map((path) => ({ path, positions: [] })), total: 2, truncated: false }),
    readSize: (path) => Promise.resolve(path === "README.md" ? 60_000 : 10),
    commands: () => [{ id: "sum", title: "Summarise this chat", hint: "", kind: "command", run: () => ran.push("sum") }, { id: "new", title: "New chat", hint: "", kind: "command", run: () => ran.push("new") }],
    tabs: () => ({ open: ["a.md"], active: "a.md" }),
    along: () => NOTHING,
    preview: ({ turn }) => { measured.push(turn); return Promise.resolve(preview([part("message", "your message", { tokens: 170 })])); },
    ...given,
  };
  return { composer: new Composer(chatId ?? "new", chatId, source), ran, measured, source };
}

const settle = () => vi.advanceTimersByTimeAsync(1000);
const file = (name: string, content: BlobPart, type = "text/plain") => new File([content], name, { type });

test("@ filters the files as it is typed, and the chosen one stays in the text and goes along", async () => {
  const { composer } = setUp();
  composer.type("See @pl for it", 7);
  await settle();
  expect([composer.menu.kind, composer.menu.rows.map((row) => row.id)]).toEqual(["files", ["notes/plan.md"]]);
  const [row] = composer.menu.rows;
  if (!row) throw new Error("one row");
  expect(composer.choose(row, 7)).toBe("See @notes/plan.md ".length);
  expect([composer.text, composer.attachments.paths, composer.menu.kind]).toEqual(["See @notes/plan.md for it", [{ path: "notes/plan.md", isCut: false }], null]);
});

test("an address with @ inside a word opens no menu", () => {
  const { composer } = setUp();
  composer.type("ada@example", 11);
  expect(composer.menu.kind).toBeNull();
});

test("/ at the start finds commands, and running one leaves no trace of it", () => {
  const { composer, ran } = setUp();
  composer.type("/new", 4);
  expect(composer.menu.rows.map((row) => row.title)).toEqual(["New chat"]);
  const [row] = composer.menu.rows;
  if (!row) throw new Error("one row");
  composer.choose(row, 4);
  expect([ran, composer.text]).toEqual([["new"], ""]);
  composer.type("Either/new", 10);
  expect(composer.menu.kind).toBeNull();
});

test("a server's resource is mentioned, a form of address goes on as it completes, and a prompt's words go into the field", async () => {
  const offers: ComposerSource["offers"] = {
    mentions: (query) => Promise.resolve(query === "memos:memo://" ? [{ id: "memos:memo://Ada", title: "Ada", hint: "", kind: "resource" }] : [{ id: "memos:memo://", title: "memos", hint: "", kind: "resource", isPart: true }]),
    prompts: () => Promise.resolve([{ id: "p", title: "memos: greet", hint: "", kind: "prompt", run: (field) => { field.insert("Greet Ada."); } }]),
    silent: () => Promise.resolve(["slow"]),
    forget: () => undefined,
  };
  const { composer } = setUp({ offers });
  const take = () => {
    const row = composer.menu.rows.at(-1);
    if (!row) throw new Error("no row");
    return composer.choose(row, composer.text.length);
  };
  composer.type("Read @memo", 10);
  await settle();
  expect(composer.menu.silent).toEqual(["slow"]);
  expect([take(), composer.text, composer.menu.kind]).toEqual(["Read @memos:memo://".length, "Read @memos:memo://", "files"]);
  await settle();
  take();
  expect([composer.text, composer.attachments.paths, composer.menu.kind]).toEqual(["Read @memos:memo://Ada ", [], null]);
  composer.type("/gre", 4);
  expect(composer.menu.kind, "no command has these letters").toBeNull();
  await settle();
  expect([composer.menu.kind, take(), composer.text]).toEqual(["commands", 0, "Greet Ada."]);
});

test("servers that can't be asked take no file from the menu", async () => {
  const { composer } = setUp({ offers: { ...fakeComposerSource().offers, mentions: () => Promise.reject(new RequestFailed(unreachable())) } });
  composer.type("@pl", 3);
  await settle();
  expect([composer.menu.rows.map((row) => row.id), composer.problem?.detail]).toEqual([["notes/plan.md"], "Recto does not answer."]);
});

test("a file over 50 KB says that it will be cut", async () => {
  const { composer } = setUp();
  await composer.attachments.addPath("README.md");
  await composer.attachments.addPath("README.md");
  expect(composer.attachments.paths).toEqual([{ path: "README.md", isCut: true }]);
});

test("a text from elsewhere goes into the message under its name, in a fence of its own", async () => {
  const { composer } = setUp();
  composer.type("Read this", 9);
  await composer.attachments.addFiles([file("a.md", "```\nx\n```\n")]);
  expect(composer.turn().text).toBe("Read this\n\na.md:\n````\n```\nx\n```\n````");
  await composer.attachments.addFiles([file("long.txt", "x".repeat(60_000))]);
  expect(composer.attachments.texts.map(({ name, isCut, text }) => [name, isCut, text.length])).toEqual([["a.md", false, 10], ["long.txt", true, 50_000]]);
});

test("a picture is sent as base64, and what is neither is refused in words", async () => {
  const { composer } = setUp();
  await composer.attachments.addFiles([file("tide.png", new Uint8Array([1, 2, 3]), "image/png"), file("a.zip", new Uint8Array([80, 75, 0, 0]), "application/zip")]);
  expect(composer.turn().images).toEqual([{ mediaType: "image/png", data: "AQID" }]);
  expect(composer.attachments.refusal).toBe("a.zip is neither text nor a picture of a known kind. Put it into the folder and name it with @.");
});

test("what is sent carries everything, and the field is empty at once", async () => {
  const { composer } = setUp();
  composer.type("  Compare them  ", 3);
  composer.plan = true;
  composer.attachments.selection = { path: "a.md", before: "x", text: "y", after: "z" };
  const sent: NewTurn[] = [];
  await composer.send((turn) => { sent.push(turn); return Promise.resolve(); });
  expect(sent).toEqual([{ text: "Compare them", files: [], contextIds: [], skillIds: [], additionalPrompt: "", selection: { path: "a.md", before: "x", text: "y", after: "z" }, images: [], model: null, plan: true, openTabs: ["a.md"], activeTab: "a.md" }]);
  expect([composer.text, composer.isEmpty]).toEqual(["", true]);
});

test("a failure gives back what was written, before what was typed meanwhile", async () => {
  const { composer } = setUp();
  composer.type("First", 5);
  await composer.send(() => { composer.type("Second", 6); return Promise.reject(new RequestFailed(unreachable())); });
  expect([composer.text, composer.problem?.detail]).toEqual(["First\n\nSecond", "Recto does not answer."]);
});

test("a draft is kept for its chat alone, and forgotten when it is sent", async () => {
  const { composer, source } = setUp();
  composer.type("Half", 4);
  await composer.attachments.addPath("notes/plan.md");
  composer.changed();
  const again = new Composer("c1", "c1", source);
  expect([again.text, again.attachments.paths.map((chip) => chip.path)]).toEqual(["Half", ["notes/plan.md"]]);
  expect(new Composer("c2", "c2", source).text).toBe("");
  await again.send(() => Promise.resolve());
  expect(new Composer("c1", "c1", source).text).toBe("");
});

test("the next request is measured once typing pauses", async () => {
  const { composer, measured } = setUp();
  for (const text of ["a", "ab", "abc"]) composer.type(text, text.length);
  await settle();
  expect([measured.map((turn) => turn.text), composer.next.preview?.tokens]).toEqual([["abc"], 170]);
});

test("where nothing can be told beforehand, nothing is measured", async () => {
  const { composer, measured } = setUp({ preview: null }, null);
  composer.type("a", 1);
  await settle();
  expect([measured, composer.next.preview]).toEqual([[], null]);
});

test("what is picked goes along with every message, a file that is named too only once", async () => {
  const picks: PickedItems = { files: ["README.md", "b.md"], contextIds: ["x1"], skillIds: ["builtin.concise"], additionalPrompt: "Short." };
  const { composer } = setUp({ along: () => picks });
  await composer.attachments.addPath("README.md");
  composer.type("Why?", 4);
  const sent: NewTurn[] = [];
  for (const words of ["Why?", "And now?"]) {
    composer.type(words, 0);
    await composer.send((turn) => Promise.resolve(sent.push(turn)));
  }
  expect(sent.map(({ files }) => files)).toEqual([["README.md", "b.md"], ["README.md", "b.md"]]);
  expect(sent[1]).toMatchObject({ contextIds: ["x1"], skillIds: ["builtin.concise"], additionalPrompt: "Short." });
  expect(composer.isEmpty, "picks alone are no message").toBe(true);
});

test("more files than a message takes stay here, with what to do", async () => {
  const files = Array.from({ length: 1001 }, (_, at) => `f${String(at)}.md`);
  const { composer } = setUp({ along: () => ({ ...NOTHING, files }) });
  composer.type("Why?", 4);
  await composer.send(() => Promise.reject(new Error("never sent")));
  expect([composer.text, composer.problem?.detail]).toEqual(["Why?", "1,001 files are to go along, and a message takes 1,000."]);
});

test("a message waits until it is known what of the ticks can go along, but not for ever", async () => {
  const known = Promise.withResolvers<null>();
  let files = ["a.md", "photo.png"];
  const { composer } = setUp({ along: () => ({ ...NOTHING, files }), counted: () => known.promise });
  composer.type("Why?", 4);
  const sent: NewTurn[] = [];
  const sending = composer.send((turn) => Promise.resolve(sent.push(turn)));
  expect([composer.isSending, sent]).toEqual([true, []]);
  files = ["a.md"];
  known.resolve(null);
  await sending;
  expect([composer.isSending, sent[0]?.files]).toEqual([false, ["a.md"]]);
  const slow = setUp({ counted: () => new Promise(() => undefined) }).composer;
  slow.type("Why?", 4);
  void slow.send((turn) => Promise.resolve(sent.push(turn)));
  await vi.advanceTimersByTimeAsync(3000);
  expect(sent).toHaveLength(2);
});
