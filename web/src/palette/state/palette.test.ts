import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { type FileNames, RequestFailed, unreachable } from "../../api";
import { Palette, type PaletteItem, type PaletteKind, type PaletteSource } from "./palette.svelte";

beforeEach(() => { vi.useFakeTimers(); });
afterEach(() => { vi.useRealTimers(); });

interface Question {
  query: string;
  signal: AbortSignal;
  answer(names: FileNames): void;
  fail(error: unknown): void;
}

function setUp() {
  const questions: Question[] = [];
  const opened: string[] = [];
  const command = (id: string, title: string, enabled = true) => ({
    id, title, group: "Go to" as const, keys: ["Mod+K"], enabled: () => enabled, run: () => opened.push(`command ${id}`),
  });
  const item = (kind: PaletteKind, title: string): PaletteItem => ({ id: `${kind}:${title}`, kind, title, hint: "", run: () => opened.push(`${kind} ${title}`) });
  const source: PaletteSource = {
    readNames: (query, _limit, signal) => new Promise((answer, fail) => questions.push({ query, signal, answer, fail })),
    recent: () => ["manuscript/methods.md", "README.md"],
    commands: () => [command("theme", "Theme: dark"), command("file", "Go to file"), command("hidden", "Go nowhere", false)],
    before: () => [
      { name: "Chats", first: 2, items: ["Which constituents?", "New chat", "An older one"].map((title) => item("chat", title)) },
      { name: "Skills", first: 0, items: [item("skill", "Which words")] },
    ],
    after: () => [{ name: "Models", first: 0, items: [item("model", "Flash")] }, { name: "Projects", first: 8, items: [item("project", "storm-list")] }],
    picks: () => [{ name: "Contexts", first: 0, items: [{ ...item("context", "Manuscript"), isOn: false }, item("context", "Broken")] }],
    openFile: (path) => opened.push(path),
  };
  const palette = new Palette(source);
  palette.show();
  return { palette, questions, opened };
}

function drawn(palette: Palette): [string, string[]][] {
  return palette.groups.map((group) => [group.name, group.rows.map((row) => row.title.map((run) => (run.hit ? `[${run.text}]` : run.text)).join(""))]);
}

const names = (...paths: string[]): FileNames => ({ items: paths.map((path) => ({ path, positions: [] })), total: 9, truncated: false });

test("an empty palette shows recent files first, then chats, commands and other projects", () => {
  const { palette } = setUp();
  expect(drawn(palette)).toEqual([
    ["Recent files", ["methods.md", "README.md"]],
    ["Chats", ["Which constituents?", "New chat"]],
    ["Commands", ["Theme: dark", "Go to file"]],
    ["Projects", ["storm-list"]],
  ]);
});

test("typing asks once, after a pause", () => {
  const { palette, questions } = setUp();
  for (const text of ["r", "re", "res"]) palette.type(text);
  vi.runAllTimers();
  expect(questions.map((question) => question.query)).toEqual(["res"]);
});

test("an answer to an older question is dropped", async () => {
  const { palette, questions } = setUp();
  palette.type("me");
  vi.runAllTimers();
  palette.type("met");
  vi.runAllTimers();
  questions[1]?.answer(names("methods.md"));
  questions[0]?.answer(names("memo.md"));
  await Promise.resolve();
  expect(drawn(palette)).toEqual([["Files", ["methods.md"]]]);
  expect(questions[0]?.signal.aborted).toBe(true);
});

test("matched letters of the name are marked, those of the folder are not", async () => {
  const { palette, questions } = setUp();
  palette.type("m");
  vi.runAllTimers();
  questions[0]?.answer({ items: [{ path: "manuscript/methods.md", positions: [0, 11] }], total: 1, truncated: false });
  await Promise.resolve();
  expect(drawn(palette)[0]).toEqual(["Files", ["[m]ethods.md"]]);
  expect(palette.rows[0]?.hint).toBe("manuscript");
});

test("@ asks for chats alone, all of them, and # for models; files are not looked for", () => {
  const { palette, questions } = setUp();
  palette.type("@");
  expect(drawn(palette)).toEqual([["Chats", ["Which constituents?", "New chat", "An older one"]]]);
  palette.type("@old");
  expect(drawn(palette)).toEqual([["Chats", ["An [old]er one"]]]);
  palette.type("#flash");
  expect(drawn(palette)).toEqual([["Models", ["[Flash]"]]]);
  vi.runAllTimers();
  expect(questions).toEqual([]);
});

test("> asks for commands alone, best first", () => {
  const { palette, questions } = setUp();
  palette.type(">file");
  vi.runAllTimers();
  expect(drawn(palette)).toEqual([["Commands", ["Go to [file]"]]]);
  expect(questions).toEqual([]);
});

test("the arrows go round and Enter runs after closing", () => {
  const { palette, opened } = setUp();
  palette.choice.onKey("ArrowUp", palette.rows.length);
  expect(palette.choice.index).toBe(6);
  palette.run(palette.rows[palette.choice.index]);
  expect([palette.open, opened]).toEqual([false, ["project storm-list"]]);
});

test("a chat is found by its title and opened", () => {
  const { palette, opened } = setUp();
  palette.type("which");
  palette.run(palette.rows[0]);
  expect(opened).toEqual(["chat Which constituents?"]);
});

test("what does not show at first is found by its name", () => {
  const { palette } = setUp();
  palette.type("which");
  expect(drawn(palette)).toEqual([["Chats", ["[Which] constituents?"]], ["Skills", ["[Which] words"]]]);
});

test("what is called exactly what was typed stands before the files", async () => {
  const { palette, questions } = setUp();
  palette.type("storm-list");
  vi.runAllTimers();
  questions[0]?.answer(names("storm-list/a.md"));
  await Promise.resolve();
  expect(drawn(palette).map(([name]) => name)).toEqual(["Projects", "Files"]);
});

test("contexts and skills can be switched one after the other; what must be looked at first closes the palette", () => {
  const { palette, questions, opened } = setUp();
  palette.show("picks");
  palette.type("r");
  vi.runAllTimers();
  palette.type("");
  expect(questions).toEqual([]);
  palette.run(palette.rows[0]);
  expect([palette.open, opened]).toEqual([true, ["context Manuscript"]]);
  palette.run(palette.rows[1]);
  expect([palette.open, opened]).toEqual([false, ["context Manuscript", "context Broken"]]);
});

test("a lost server is said in words, not as an empty list", async () => {
  const { palette, questions } = setUp();
  palette.type("zzz");
  vi.runAllTimers();
  questions[0]?.fail(new RequestFailed(unreachable()));
  await Promise.resolve();
  await Promise.resolve();
  expect([palette.rows, palette.problem?.detail]).toEqual([[], "Recto does not answer."]);
});

test("Enter means what was typed, also before it is found", async () => {
  const { palette, questions, opened } = setUp();
  palette.show("files");
  palette.type("plan");
  expect([palette.rows, palette.isLooking]).toEqual([[], true]);
  palette.enter();
  expect([palette.open, opened]).toEqual([true, []]);
  vi.runAllTimers();
  questions[0]?.answer(names("notes/plan.md"));
  await Promise.resolve();
  expect([palette.open, palette.isLooking, opened]).toEqual([false, false, ["notes/plan.md"]]);
});

test("Enter opens nothing that an older name has found, and whoever types on has not meant it", async () => {
  const { palette, questions, opened } = setUp();
  palette.type("me");
  vi.runAllTimers();
  questions[0]?.answer(names("memo.md", "methods.md"));
  await Promise.resolve();
  palette.type("methods");
  palette.enter();
  palette.type("methods.");
  vi.runAllTimers();
  questions[1]?.answer(names("methods.md"));
  await Promise.resolve();
  expect([palette.open, opened]).toEqual([true, []]);
  // A row that was chosen by an arrow is meant as it stands.
  palette.type("m");
  palette.choice.index = 1;
  palette.enter();
  expect(opened).toHaveLength(1);
});
