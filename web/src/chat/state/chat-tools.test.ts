import { describe, expect, it } from "vitest";
import type { ChatTools, ToolsChoice } from "../../api";
import { effectWords, toolGroups } from "../labels";
import { ChatToolsState } from "./chat-tools.svelte";

const EFFECT = { toolTokens: 0, tokens: 1000, againTokens: 0, againMicros: 0 };

function tools(change: Partial<ChatTools> = {}): ChatTools {
  const modes = (["auto", "all_on", "all_off", "manual", "cached"] as const).map((mode) => ({ ...EFFECT, mode }));
  return { mode: "cached", tools: [], forgetAfter: null, offered: [{ name: "read_file", title: "Read", tokens: 100 }], modes, ...change };
}

function server() {
  const chosen: ToolsChoice[] = [];
  return {
    chosen,
    toolsOf: () => Promise.resolve(tools()),
    chooseTools: (_: unknown, choice: ToolsChoice) => { chosen.push(choice); return Promise.resolve(tools(choice)); },
  };
}

describe("the tools of a chat", () => {
  it("go round in the order of the menu", async () => {
    const answers = server();
    const state = new ChatToolsState(answers, { projectId: "p", id: "c" });
    await state.load();
    for (let times = 0; times < 5; times += 1) await state.next();
    expect(answers.chosen.map((one) => one.mode)).toEqual(["auto", "all_on", "all_off", "manual", "cached"]);
  });

  it("are ticked one by one, which is the manual mode", async () => {
    const answers = server();
    const state = new ChatToolsState(answers, { projectId: "p", id: "c" });
    await state.load();
    await state.tick("read_file");
    await state.tick("read_file");
    expect(answers.chosen.map((one) => [one.mode, one.tools])).toEqual([["manual", ["read_file"]], ["manual", []]]);
  });

  it("are ticked by server, the other servers as they were", async () => {
    const answers = server();
    const state = new ChatToolsState(answers, { projectId: "p", id: "c" });
    await state.load();
    await state.tick("read_file");
    await state.tick("sea__a");
    await state.tickAll(["sea__a", "sea__b"]);
    await state.tickAll(["sea__a", "sea__b"]);
    expect(answers.chosen.slice(2).map((one) => [one.mode, one.tools])).toEqual([["manual", ["read_file", "sea__a", "sea__b"]], ["manual", ["read_file"]]]);
  });

  it("stand by server, with the tokens of all its tools", () => {
    const tool = (name: string, tokens: number) => ({ name, title: name, tokens });
    const groups = toolGroups([tool("read_file", 100), tool("sea__tide__at", 30), tool("sea__wind", 20), tool("edit_file", 7)]);
    expect(groups.map((group) => [group.server, group.tokens, group.tools.map((one) => group.shown(one.name))])).toEqual([
      ["Recto", 107, ["read_file", "edit_file"]], ["sea", 50, ["tide__at", "wind"]],
    ]);
  });

  it("keep what was chosen last when answers come late", async () => {
    const waiting: ((found: ChatTools) => void)[] = [];
    const state = new ChatToolsState({ toolsOf: () => Promise.resolve(tools()), chooseTools: () => new Promise((resolve) => { waiting.push(resolve); }) }, { projectId: "p", id: "c" });
    await state.load();
    const first = state.choose({ mode: "auto" });
    const second = state.choose({ mode: "all_off" });
    waiting[1]?.(tools({ mode: "all_off" }));
    waiting[0]?.(tools({ mode: "auto" }));
    await Promise.all([first, second]);
    expect(state.shown?.mode).toBe("all_off");
  });

  it("say what a change saves each time and costs once", () => {
    const shown = tools();
    expect(effectWords({ ...EFFECT, mode: "cached" }, shown)).toBe("As it is now");
    expect(effectWords({ ...EFFECT, mode: "all_on" }, shown)).toBe("Changes nothing now");
    const words = effectWords({ ...EFFECT, mode: "auto", tokens: 200, againTokens: 14_400, againMicros: 43_000 }, shown);
    expect(words).toMatch(/^Reads 14\.4k again once, \$0\.04\d?, then saves 800 each time$/);
  });
});
