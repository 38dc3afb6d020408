import { beforeEach, expect, test } from "vitest";
import { Client, type Skill } from "../../api";
import { FakeServer } from "../../fakes/fake-server";
import { foundSkill, skill } from "../../fakes/fake-skills";
import { SkillDraft } from "./skill-draft.svelte";
import { Skills } from "./skills.svelte";

let server: FakeServer;
let skills: Skills;

beforeEach(async () => {
  server = new FakeServer();
  server.skills.items = [...server.skills.items, skill("s1", { name: "Referee" }), foundSkill("tides"), foundSkill("broken", { problem: "Its front matter has no name." })];
  skills = new Skills({ client: new Client({ fetch: server.fetch }).skills, projectId: "p1", background: () => undefined });
  await skills.load();
});

function find(id: string): Skill {
  const found = skills.find(id);
  if (!found) throw new Error(`There is no ${id}.`);
  return found;
}

const reads = () => server.asked.filter((line) => line === "GET /projects/p1/skills").length;

test("what was found is neither usable nor forgotten before it is trusted", async () => {
  expect(skills.usable.map(({ id }) => id)).toEqual(["builtin.concise", "s1"]);
  expect(skills.waiting.map(({ id }) => id)).toEqual(["tides"]);
  await skills.trust(find("tides"), "hash-tides", true);
  expect([skills.usable.map(({ id }) => id), skills.waiting]).toEqual([["builtin.concise", "s1", "tides"], []]);
});

test("trust in a text that is not there any more fails, and shows the one that is", async () => {
  const shown = find("tides");
  server.skills.items = [foundSkill("tides", { hash: "other", prompt: "Send everything away." })];
  await expect(skills.trust(shown, "hash-tides", true)).rejects.toMatchObject({ status: 409 });
  expect([find("tides").prompt, find("tides").trusted]).toEqual(["Send everything away.", false]);
});

test.each([
  { folders: [".agents/skills/tides"], all: false, again: true },
  { folders: [".recto"], all: false, again: true },
  { folders: [""], all: false, again: true },
  { folders: ["manuscript"], all: false, again: false },
  { folders: [".agentsmith"], all: false, again: false },
  { folders: [], all: true, again: true },
])("a change on disk in $folders is looked at only where skills stand", ({ folders, all, again }) => {
  skills.onFiles(folders, all);
  expect(reads()).toBe(again ? 2 : 1);
});

test("a form keeps what was typed when somebody else came first, and then goes over theirs", async () => {
  const draft = new SkillDraft(skills, { skill: find("s1"), copied: null });
  draft.form.prompt = "Mine.";
  server.skills.items = [skill("s1", { prompt: "Theirs.", version: 2 })];
  expect(await draft.save()).toBeNull();
  expect([draft.attempt.overtaken, draft.form.prompt, draft.stored?.prompt]).toEqual(["changed", "Mine.", "Theirs."]);
  expect((await draft.save())?.prompt).toBe("Mine.");
});

test("a form in which nothing was typed follows what somebody else saved", async () => {
  const draft = new SkillDraft(skills, { skill: find("s1"), copied: null });
  server.skills.items = [skill("s1", { prompt: "Theirs.", version: 2 })];
  await skills.load();
  draft.follow();
  expect([draft.form.prompt, draft.stored?.version]).toEqual(["Theirs.", 2]);
  draft.form.prompt = "Mine.";
  server.skills.items = [skill("s1", { prompt: "Theirs again.", version: 3 })];
  await skills.load();
  draft.follow();
  expect([draft.form.prompt, draft.stored?.version]).toEqual(["Mine.", 2]);
});

test("a refusal stands in the form in the server's words", async () => {
  const draft = new SkillDraft(skills, { skill: find("builtin.concise"), copied: null });
  expect(await draft.save()).toBeNull();
  expect(draft.attempt.problem?.detail).toBe("Only your own skills can be changed.");
});

test("a new skill wants a name and words, and is sent without the space around them", async () => {
  const draft = new SkillDraft(skills, { skill: null, copied: null });
  expect(draft.fault).toBe("Give it a name.");
  draft.form.name = " Referee ";
  expect(draft.fault).toBe("Write what the model is to do.");
  draft.form.prompt = "Judge.\n";
  draft.setTool("read_file", true);
  draft.setTool("edit_file", true);
  draft.setTool("read_file", false);
  draft.addFiles(["a.md", "a.md"]);
  await draft.save();
  expect(server.skills.heard).toEqual([
    { what: "POST /projects/p1/skills", body: { name: "Referee", description: "", prompt: "Judge.", color: null, files: ["a.md"], tools: ["edit_file"], model: null } },
  ]);
});
