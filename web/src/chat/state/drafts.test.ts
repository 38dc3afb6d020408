import { afterEach, expect, test, vi } from "vitest";
import { installLocks } from "../../fakes/fake-locks";
import { BrowserTab } from "../../core/browser-tab";
import { Composer, type ComposerSource } from "./composer.svelte";
import { BROUGHT_MAX, Drafts, RETURN_MS } from "./drafts";
import { fakeComposerSource } from "../../chat-library/state/fake-picking";
import { NOTHING } from "../../picks/state/pick-values";

/** A tab of the browser: `open` tells which are. */
function tab(id: string, open: Set<string>): ComposerSource {
  open.add(id);
  return { ...fakeComposerSource(), drafts: new Drafts({ id, open: () => Promise.resolve(open) }), along: () => NOTHING, preview: null };
}

const picture = (name: string, bytes: number) => new File([new Uint8Array(bytes)], name, { type: "image/png" });
/** A field that somebody sees. */
const newComposer = async (source: ComposerSource, chat = "c1") => {
  const composer = new Composer(chat, chat, source);
  await composer.findLeft();
  return composer;
};
/** So long after that no tab is still loading again. */
const later = () => vi.spyOn(Date, "now").mockReturnValue(Date.now() + RETURN_MS);

afterEach(() => { vi.restoreAllMocks(); });

test("tabs that write to the same chat keep a draft each, and sending one leaves the other", async () => {
  const open = new Set<string>();
  const [one, other] = [tab("a", open), tab("b", open)];
  const mine = await newComposer(one);
  mine.type("Mine", 4);
  const theirs = await newComposer(other);
  expect(theirs.text).toBe("");
  theirs.type("Theirs", 6);
  await theirs.send(() => Promise.resolve());
  expect((await newComposer(one)).text).toBe("Mine");
});

test("what a closed tab left stands in the field of the next tab that opens the chat", async () => {
  const open = new Set<string>();
  const closed = tab("a", open);
  const composer = await newComposer(closed);
  await composer.attachments.addPath("notes/plan.md");
  composer.type("Half a thought", 14);
  open.delete("a");
  later();
  const found = await newComposer(tab("b", open));
  expect([found.text, found.attachments.paths.map(({ path }) => path), found.left]).toEqual(["Half a thought", ["notes/plan.md"], []]);
  expect((await newComposer(closed)).text, "it went to the other tab").toBe("");
});

test("a tab that is loading again looks closed, and keeps its draft", async () => {
  const open = new Set<string>();
  const reloading = tab("a", open);
  vi.spyOn(Date, "now").mockReturnValue(0);
  (await newComposer(reloading)).type("Mine", 4);
  vi.mocked(Date.now).mockReturnValue(2 * RETURN_MS);
  window.dispatchEvent(new Event("pagehide"));
  open.delete("a");
  const other = await newComposer(tab("b", open));
  expect([other.text, other.left.map(({ text }) => text)]).toEqual(["", ["Mine"]]);
  const [offered] = other.left;
  if (!offered) throw new Error("a draft was left");
  open.add("a");
  await other.takeLeft(offered);
  expect([other.text, other.left]).toEqual(["", []]);
  expect((await newComposer(reloading)).text).toBe("Mine");
});

test("a field that nobody sees takes nothing", async () => {
  const open = new Set<string>();
  (await newComposer(tab("a", open))).type("For later", 9);
  open.delete("a");
  later();
  const unseen = new Composer("c1", "c1", tab("b", open));
  expect((await newComposer(tab("c", open))).text).toBe("For later");
  expect(unseen.text).toBe("");
});

test("pictures alone are dated, too, when their tab is left", async () => {
  const open = new Set<string>();
  const composer = await newComposer(tab("a", open));
  await composer.attachments.addFiles([picture("gauge.png", 12)]);
  composer.changed();
  window.dispatchEvent(new Event("pagehide"));
  open.delete("a");
  const other = await newComposer(tab("b", open));
  expect([other.isEmpty, other.left.map(({ mayReturn }) => mayReturn)]).toEqual([true, [true]]);
});

test("several that were left are all offered, and none takes the place of what is being written", async () => {
  const open = new Set<string>();
  for (const [name, text] of [["a", "First"], ["b", "Second"]] as const) {
    (await newComposer(tab(name, open))).type(text, 0);
  }
  const mine = tab("c", open);
  (await newComposer(mine)).type("Mine", 4);
  open.delete("a");
  open.delete("b");
  const composer = await newComposer(mine);
  expect([composer.text, composer.left.map(({ text }) => text).sort()]).toEqual(["Mine", ["First", "Second"]]);
  const [first, second] = composer.left.toSorted((one, two) => (one.text < two.text ? -1 : 1));
  if (!first || !second) throw new Error("two drafts were left");
  await composer.takeLeft(first);
  await composer.removeLeft(second);
  expect([composer.text, composer.left]).toEqual(["Mine\n\nFirst", []]);
  expect((await newComposer(tab("d", open))).left).toEqual([]);
});

test("pictures and texts from outside are there after a reload, and with what a closed tab left", async () => {
  const open = new Set<string>();
  const source = tab("a", open);
  const composer = await newComposer(source);
  await composer.attachments.addFiles([picture("gauge.png", 12), new File(["High water"], "log.txt", { type: "text/plain" })]);
  composer.changed();
  const shown = ({ attachments }: Composer) => [...attachments.pictures, ...attachments.texts].map(({ name }) => name);
  const reloaded = await newComposer(source);
  expect([shown(reloaded), reloaded.turn().images, reloaded.attachments.isKept]).toEqual([["gauge.png", "log.txt"], composer.turn().images, true]);
  open.delete("a");
  later();
  const found = await newComposer(tab("b", open));
  expect([shown(found), shown(await newComposer(source))]).toEqual([["gauge.png", "log.txt"], []]);
  await found.send(() => Promise.resolve());
  expect(shown(await newComposer(tab("b", open)))).toEqual([]);
});

test("what is too large to keep is said, and the words are kept", async () => {
  const source = tab("a", new Set<string>());
  const composer = await newComposer(source);
  composer.type("See this", 8);
  await composer.attachments.addFiles([picture("scan.png", BROUGHT_MAX)]);
  composer.changed();
  expect(composer.attachments.isKept).toBe(false);
  const reloaded = await newComposer(source);
  expect([reloaded.text, reloaded.attachments.pictures]).toEqual(["See this", []]);
  composer.attachments.clear();
  composer.changed();
  expect(composer.attachments.isKept).toBe(true);
});

test("a message is a draft until the server has it", async () => {
  const open = new Set<string>();
  const source = tab("a", open);
  const composer = await newComposer(source);
  composer.type("On its way", 10);
  const answered = Promise.withResolvers<undefined>();
  const sending = composer.send(() => answered.promise);
  composer.type("And more", 8);
  expect((await newComposer(source)).text, "the tab crashed meanwhile").toBe("On its way\n\nAnd more");
  answered.resolve(undefined);
  await sending;
  expect((await newComposer(source)).text).toBe("And more");
});

test("a reload keeps a tab's name; a copy of it and a tab after a crash get their own", async () => {
  const locks = installLocks();
  const first = new BrowserTab();
  const copy = new BrowserTab();
  expect(copy.id).not.toBe(first.id);
  window.dispatchEvent(new Event("pagehide"));
  const reloaded = new BrowserTab();
  expect(reloaded.id).toBe(copy.id);
  expect(await reloaded.open()).toEqual(new Set([first.id, copy.id]));
  locks.release(first.id);
  expect(await reloaded.open()).toEqual(new Set([copy.id]));
});
