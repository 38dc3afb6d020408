import { expect, test } from "vitest";
import { FakeEvents } from "../fakes/fake-events";
import { FakeServer } from "../fakes/fake-server";
import type { App } from "../app/app.svelte";
import { commandFor } from "../core/commands";
import { createApp } from "./create-app";

function app(): App {
  const made = createApp({ fetch: new FakeServer().fetch, openEvents: new FakeEvents().open });
  made.connectActions({ focusRegion: () => undefined, enterLeftPanel: () => undefined, download: () => undefined });
  return made;
}

function press(key: string, modifiers: Partial<KeyboardEvent>, target: EventTarget | null) {
  return { key, code: "", ctrlKey: false, metaKey: false, shiftKey: false, altKey: false, ...modifiers, target };
}

test("every command has its own name and its own keys", () => {
  const { commands } = app();
  const unique = (list: string[]) => new Set(list).size === list.length;
  expect(unique(commands.map((command) => command.id))).toBe(true);
  expect(unique(commands.map((command) => command.title))).toBe(true);
  // In a text that somebody writes, Ctrl+B is bold, as everywhere; elsewhere it is the panel.
  const shared = commands.filter((command) => command.keys.includes("Mod+B")).map((command) => command.id);
  expect(shared).toEqual(["format-bold", "left-panel"]);
  expect(unique(commands.filter((command) => command.id !== "format-bold").flatMap((command) => command.keys))).toBe(true);
});

test("a plain key belongs to the text while somebody types, a chord does not", () => {
  const { commands } = app();
  const field = document.createElement("input");
  expect(commandFor(commands, press("?", { shiftKey: true }, document.body))?.id).toBe("shortcuts");
  expect(commandFor(commands, press("?", { shiftKey: true }, field))).toBeNull();
  expect(commandFor(commands, press("k", { ctrlKey: true }, field))?.id).toBe("palette");
  expect(commandFor(commands, press("P", { ctrlKey: true, shiftKey: true }, field))?.id).toBe("palette");
  expect(commandFor(commands, press(",", { ctrlKey: true }, field))?.id).toBe("settings");
  expect(commandFor(commands, press("F6", {}, field))?.id).toBe("next-region");
});

test("keys that edit text are never taken", () => {
  const { commands } = app();
  const field = document.createElement("input");
  const editing = ["a", "c", "v", "x", "z", "ArrowLeft", "ArrowRight", "Backspace", "Delete", "Home", "End"];
  const taken = editing.filter((key) => commandFor(commands, press(key, { ctrlKey: true }, field)) ?? commandFor(commands, press(key, { altKey: true }, field)));
  expect(taken).toEqual([]);
});

test("a command that cannot run now is not found by its key", () => {
  const { commands } = app();
  expect(commandFor(commands, press("f", { ctrlKey: true }, document.body))).toBeNull();
});
