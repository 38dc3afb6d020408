import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { type Calculated, RequestFailed, type ToCalculate, unreachable } from "../../api";
import { context } from "../../fakes/fake-contexts";
import { FILES_MAX, Picked, type PickedSource } from "./picked.svelte";

beforeEach(() => { vi.useFakeTimers(); });
afterEach(() => { vi.useRealTimers(); });

const manuscript = context("x1", { files: ["manuscript/methods.md", "manuscript/results.md"] });
const pipeline = context("x2", { files: ["pipeline/gauges.py", "pipeline/harmonics.py"] });

function counted(given: Partial<Calculated> = {}): Calculated {
  return { totalTokens: 0, deduplicatedTokens: 0, fileTokens: {}, contextTokens: {}, skillTokens: {}, additionalPromptTokens: 0, overlappingFiles: [], missingFiles: [], unreadable: [], ...given };
}

function setUp(given: Partial<PickedSource> = {}) {
  const asked: ToCalculate[] = [];
  let changes = 0;
  const picked = new Picked({
    projectId: "p1",
    contexts: () => [manuscript, pipeline],
    skills: () => [{ id: "builtin.concise" }],
    calculate: (what) => {
      asked.push(what);
      return Promise.resolve(counted({ totalTokens: what.files?.length ?? 0 }));
    },
    changed: () => { changes += 1; },
    ...given,
  });
  return { picked, asked, changes: () => changes };
}

const files = (picked: Picked) => [...picked.files].sort();

test("what is picked goes along, and every folder knows how many ticks lie in it", () => {
  const { picked, changes } = setUp();
  picked.toggleFile("manuscript/2024/a.md");
  picked.toggleFile("README.md");
  picked.toggleSkill("builtin.concise");
  picked.additionalPrompt = " Use metric units. ";
  expect(picked.along()).toEqual({ files: ["manuscript/2024/a.md", "README.md"], contextIds: [], skillIds: ["builtin.concise"], additionalPrompt: "Use metric units." });
  expect(["", "manuscript", "manuscript/2024", "pipeline"].map((folder) => picked.countInside(folder))).toEqual([2, 1, 1, 0]);
  expect(changes()).toBe(4);
  picked.toggleFile("README.md");
  picked.untickInside("manuscript");
  picked.toggleSkill("builtin.concise");
  picked.additionalPrompt = "";
  expect(picked.isEmpty).toBe(true);
});

test("a context ticks its files once, and leaves the ticks when it is switched off", () => {
  const { picked } = setUp();
  picked.activate(manuscript);
  expect([picked.contextIds, files(picked)]).toEqual([["x1"], manuscript.files]);
  picked.toggleFile("manuscript/results.md");
  expect(picked.contextIds).toEqual(["x1"]);
  picked.deactivate("x1");
  expect([picked.contextIds, files(picked)]).toEqual([[], ["manuscript/methods.md"]]);
});

test("a file of a context that is gone is neither ticked nor a difference", () => {
  const partly = context("x1", { files: ["a.md", "gone.md"], missingFiles: ["gone.md"] });
  const { picked } = setUp({ contexts: () => [partly] });
  picked.activate(partly);
  expect([files(picked), picked.differs(partly)]).toEqual([["a.md"], false]);
  expect(picked.matching(partly), "it may come back").toEqual(["a.md", "gone.md"]);
});

test("a context differs where the ticks are others than its files, whatever other contexts bring", () => {
  const { picked } = setUp();
  picked.activate(manuscript);
  picked.activate(pipeline);
  expect([picked.differs(manuscript), picked.differs(pipeline)]).toEqual([false, false]);
  picked.toggleFile("pipeline/gauges.py");
  expect([picked.differs(manuscript), picked.differs(pipeline)]).toEqual([false, true]);
  expect(picked.matching(pipeline)).toEqual(["pipeline/harmonics.py"]);
  picked.toggleFile("README.md");
  expect(picked.matching(pipeline)).toEqual(["pipeline/harmonics.py", "README.md"]);
  expect([picked.differs(manuscript), picked.additionalFiles], "a tick that no context brings could belong to any").toEqual([true, ["README.md"]]);
});

test("tokens are counted 300 ms after the last change, and only for what is picked last", async () => {
  const { picked, asked } = setUp();
  picked.toggleFile("a.md");
  await vi.advanceTimersByTimeAsync(299);
  picked.toggleFile("b.md");
  await vi.advanceTimersByTimeAsync(299);
  expect(asked).toEqual([]);
  await vi.advanceTimersByTimeAsync(1);
  expect(asked).toEqual([{ files: ["a.md", "b.md"], contextIds: [], skillIds: [], additionalPrompt: "" }]);
  expect(picked.tokens?.totalTokens).toBe(2);
  picked.clear();
  expect(picked.tokens, "nothing needs no counting").toBeNull();
  await vi.advanceTimersByTimeAsync(1000);
  expect(asked).toHaveLength(1);
});

test("a change on disk counts again what it touches, and a file that is gone stays behind", async () => {
  let missing: string[] = [];
  const { picked, asked } = setUp({ calculate: (what) => { asked.push(what); return Promise.resolve(counted({ missingFiles: missing })); } });
  picked.setFiles(["notes/a.md", "b.md"], true);
  await vi.advanceTimersByTimeAsync(300);
  picked.onFiles(["other"], false);
  await vi.advanceTimersByTimeAsync(300);
  expect(asked).toHaveLength(1);
  missing = ["notes/a.md"];
  picked.onFiles(["notes"], false);
  await vi.advanceTimersByTimeAsync(300);
  expect([asked.length, picked.missingFiles, picked.along().files]).toEqual([2, ["notes/a.md"], ["b.md"]]);
  expect(files(picked), "its tick waits for it to come back").toEqual(["b.md", "notes/a.md"]);
});

test("what is no text is told apart and stays behind; while that is unknown, whoever sends can wait for it", async () => {
  const { picked } = setUp({ calculate: () => Promise.resolve(counted({ unreadable: [{ path: "photo.png", reason: "photo.png is not text." }] })) });
  expect(picked.counted()).toBeNull();
  picked.setFiles(["a.md", "photo.png"], true);
  const waiting = picked.counted();
  expect([waiting instanceof Promise, picked.along().files]).toEqual([true, ["a.md", "photo.png"]]);
  await vi.advanceTimersByTimeAsync(300);
  await waiting;
  expect([picked.counted(), picked.unreadableFiles, picked.along().files]).toEqual([null, ["photo.png"], ["a.md"]]);
  picked.toggleFile("b.md");
  const another = picked.counted();
  picked.clear();
  expect([await another, picked.counted()], "nothing is left to wait for").toEqual([null, null]);
});

test("why the picks can't be counted is told", async () => {
  const { picked } = setUp({ calculate: () => Promise.reject(new RequestFailed({ ...unreachable(), status: 422, detail: ".env is kept from the AI." })) });
  picked.toggleFile(".env");
  await vi.advanceTimersByTimeAsync(300);
  expect([picked.problem?.detail, picked.tokens, picked.counted()]).toEqual([".env is kept from the AI.", null, null]);
});

test("a tab finds its picks again after a reload; another project and another tab do not", () => {
  const { picked } = setUp();
  expect(picked.wasKept).toBe(false);
  picked.activate(manuscript);
  const again = setUp().picked;
  expect([again.wasKept, again.along()]).toEqual([true, picked.along()]);
  expect(setUp({ projectId: "p2" }).picked.isEmpty).toBe(true);
  expect(Object.keys(localStorage)).toEqual([]);
});

test.each(["{", "null", "[]", '{"files":"a"}', '{"files":[1],"contextIds":[],"skillIds":[],"additionalPrompt":""}'])("what a tab remembers may be anything: %s", (text) => {
  sessionStorage.setItem("recto.picked.p1", text);
  expect(setUp().picked.isEmpty).toBe(true);
});

test("a context or skill that was deleted, or can't be used now, is not on any more", () => {
  let skills = [{ id: "builtin.concise" }];
  let contexts = [manuscript];
  const { picked } = setUp({ contexts: () => contexts, skills: () => skills });
  picked.activate(manuscript);
  picked.toggleSkill("builtin.concise");
  contexts = [];
  skills = [];
  expect(picked.along()).toEqual({ files: manuscript.files, contextIds: [], skillIds: [], additionalPrompt: "" });
});

test("what is pinned to a chat comes back with it: contexts with their files, and the files besides", () => {
  const { picked } = setUp();
  picked.activate(manuscript);
  picked.toggleSkill("builtin.concise");
  picked.toggleFile("README.md");
  picked.additionalPrompt = "Short.";
  const pins = picked.pinned();
  expect(pins).toEqual({ contextIds: ["x1"], skillIds: ["builtin.concise"], additionalFiles: ["README.md"], additionalPrompt: "Short." });
  picked.clear();
  expect(picked.restore(pins)).toBeNull();
  expect(picked.pinned()).toEqual(pins);
  expect(files(picked)).toEqual(["README.md", ...manuscript.files]);
});

const none = { contextIds: [], skillIds: [], additionalFiles: [], additionalPrompt: "" };

test("a chat with nothing pinned leaves alone what a person picked, and drops what another chat brought", () => {
  const { picked } = setUp();
  picked.toggleFile("mine.md");
  expect([picked.restore(none), files(picked)]).toEqual([null, ["mine.md"]]);
  const before = picked.restore({ ...none, additionalFiles: ["pinned.md"] });
  expect(before?.files, "a person's picks can be brought back").toEqual(["mine.md"]);
  expect([picked.restore(none), files(picked)]).toEqual([null, []]);
  if (before) picked.replace(before);
  expect(files(picked)).toEqual(["mine.md"]);
});

test("a new chat begins with its defaults, keeps what a person picked, and drops what a chat brought", () => {
  const { picked } = setUp();
  picked.restore({ ...none, additionalFiles: ["pinned.md"] });
  picked.begin({ contextIds: ["x1"], skillIds: ["builtin.concise"] });
  expect(picked.along()).toEqual({ files: manuscript.files, contextIds: ["x1"], skillIds: ["builtin.concise"], additionalPrompt: "" });
  picked.begin({ contextIds: [], skillIds: [] });
  expect(picked.isEmpty, "defaults nobody touched go too").toBe(true);
  picked.toggleFile("mine.md");
  picked.begin({ contextIds: ["x2"], skillIds: [] });
  expect(files(picked)).toEqual(["mine.md", ...pipeline.files]);
});

test("contexts that are read later than the chat tick their files then", () => {
  let contexts: (typeof manuscript)[] | null = null;
  const { picked } = setUp({ contexts: () => contexts });
  picked.begin({ contextIds: ["x1"], skillIds: [] });
  expect([picked.contextIds, files(picked)]).toEqual([["x1"], []]);
  contexts = [manuscript];
  picked.onContexts();
  expect(files(picked)).toEqual(manuscript.files);
  picked.begin({ contextIds: [], skillIds: [] });
  expect(picked.isEmpty, "nobody has picked anything by hand").toBe(true);
});

test("no more files are ticked than can be counted", () => {
  const { picked } = setUp();
  const many = Array.from({ length: FILES_MAX }, (_, at) => `f${String(at)}`);
  expect([picked.setFiles(many, true), picked.setFiles(["one-more"], true), picked.files.size]).toEqual([true, false, FILES_MAX]);
  expect(picked.setFiles(many, true), "ticking again changes nothing").toBe(true);
});

test("a message names the files of its contexts that are not ticked: the server sends the others", () => {
  const { picked } = setUp();
  picked.activate(manuscript);
  expect(picked.along().exceptFiles).toBeUndefined();
  const [first = ""] = manuscript.files;
  picked.toggleFile(first);
  expect(picked.along()).toMatchObject({ contextIds: ["x1"], exceptFiles: [first] });
});
