import { expect, test } from "vitest";
import { type Command, commandFor } from "./commands";
import { KeyChoice, keysOf } from "./key-choice.svelte";

const COMMANDS: Command[] = [
  { id: "palette", title: "Open the palette", group: "Go to", keys: ["Mod+K"], enabled: () => true, run: () => undefined },
  { id: "filter", title: "Filter files", group: "Files", keys: ["/"], enabled: () => true, run: () => undefined },
];

const press = (key: string, held: Partial<KeyboardEvent> = {}) => ({ key, code: "", ctrlKey: false, metaKey: false, shiftKey: false, altKey: false, target: document.body, ...held });

test("a command has the keys that were chosen for it, and its own again", () => {
  const choice = new KeyChoice();
  const commands = COMMANDS.map(choice.applied);
  choice.choose("palette", "Mod+Alt+J");
  expect([commandFor(commands, press("k", { ctrlKey: true })), commandFor(commands, press("j", { ctrlKey: true, altKey: true }))?.id]).toEqual([null, "palette"]);
  expect([new KeyChoice().isOwn("palette"), commands[0]?.keys]).toEqual([true, ["Mod+Alt+J"]]);
  choice.choose("palette", null);
  expect(commands[0]?.keys).toEqual([]);
  choice.reset("palette");
  expect([commands[0]?.keys, choice.isChanged]).toEqual([["Mod+K"], false]);
});

test("single keys can be switched off, others stay", () => {
  const choice = new KeyChoice();
  const commands = COMMANDS.map(choice.applied);
  expect(commandFor(commands, press("/"))?.id).toBe("filter");
  choice.single = false;
  expect([commandFor(commands, press("/")), commandFor(commands, press("k", { ctrlKey: true }))?.id, new KeyChoice().single]).toEqual([null, "palette", false]);
});

test.each([
  [press("j", { ctrlKey: true, altKey: true }), "Mod+Alt+J"],
  [press("?", { shiftKey: true }), "?"],
  [press("F6", { shiftKey: true }), "Shift+F6"],
  [press("Control", { ctrlKey: true }), null],
])("%o is written as %s", (event, keys) => {
  expect(keysOf(event, false)).toBe(keys);
});
