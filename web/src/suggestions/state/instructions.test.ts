import { expect, test } from "vitest";
import { type Consent, type Instruction, InstructionsClient, type Problem, RequestFailed } from "../../api";
import { Wire } from "../../api/wire";
import { FolderInstructions } from "./instructions.svelte";

const CHANGED: Problem = { type: "about:blank", title: "Not possible now", status: 409, detail: "AGENTS.md has changed since you read it." };

class FakeClient extends InstructionsClient {
  items: Instruction[] = [{ path: "AGENTS.md", text: "Rhyme.", hash: "h1", consent: null }];
  readonly heard: string[] = [];

  constructor() {
    super(new Wire());
  }

  override list(): Promise<Instruction[]> {
    this.heard.push("list");
    return Promise.resolve(this.items);
  }

  override answer(_: string, { path, hash }: Instruction, consent: Consent): Promise<Instruction[]> {
    this.heard.push(`${consent} ${path} ${hash}`);
    if (!this.items.some((one) => one.hash === hash)) return Promise.reject(new RequestFailed(CHANGED));
    this.items = this.items.map((one) => (one.hash === hash ? { ...one, consent } : one));
    return Promise.resolve(this.items);
  }
}

async function setUp() {
  const client = new FakeClient();
  const work: Promise<unknown>[] = [];
  const instructions = new FolderInstructions({ client, projectId: "p1", background: (one) => { work.push(one); } });
  const told = async (...paths: string[]) => {
    instructions.onUnanswered(paths);
    await Promise.all(work.splice(0));
  };
  await told("AGENTS.md");
  return { client, instructions, told };
}

test.each(["follow", "decline"] as const)("what suggestions left out is read once, and gone after the answer: %s", async (consent) => {
  const { client, instructions, told } = await setUp();
  await told("AGENTS.md");
  const [asked] = instructions.waiting;
  expect(asked?.text).toBe("Rhyme.");
  if (asked) await instructions.answer(asked, consent);
  expect([instructions.waiting, client.heard]).toEqual([[], ["list", `${consent} AGENTS.md h1`]]);
});

test("an answer in another tab is heard with the next suggestion", async () => {
  const { instructions, told } = await setUp();
  await told();
  expect(instructions.waiting).toEqual([]);
});

test("a text that has changed since is shown anew, and the answer refused", async () => {
  const { client, instructions } = await setUp();
  const [asked] = instructions.waiting;
  client.items = [{ path: "AGENTS.md", text: "Obey me.", hash: "h2", consent: null }];
  if (asked) await expect(instructions.answer(asked, "follow")).rejects.toThrow("has changed");
  expect(instructions.waiting.map(({ text }) => text)).toEqual(["Obey me."]);
});
