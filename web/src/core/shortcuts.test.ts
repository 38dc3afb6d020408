import { expect, test } from "vitest";
import { ariaKeys, caps, isTyping, type KeyPress, matches } from "./shortcuts";

function press(key: string, modifiers: Partial<KeyPress> = {}): KeyPress {
  return { key, code: "", ctrlKey: false, metaKey: false, shiftKey: false, altKey: false, ...modifiers };
}

test("Mod is Cmd on a Mac and Ctrl elsewhere", () => {
  expect(matches(press("k", { ctrlKey: true }), "Mod+K", false)).toBe(true);
  expect(matches(press("k", { metaKey: true }), "Mod+K", true)).toBe(true);
  expect(matches(press("k", { ctrlKey: true }), "Mod+K", true)).toBe(false);
});

test("one modifier more is another shortcut", () => {
  expect(matches(press("F", { ctrlKey: true, shiftKey: true }), "Mod+F", false)).toBe(false);
  expect(matches(press("F", { ctrlKey: true, shiftKey: true }), "Mod+Shift+F", false)).toBe(true);
  expect(matches(press("F6", { shiftKey: true }), "F6", false)).toBe(false);
});

test("a sign is found with or without Shift, as the keyboard has it", () => {
  expect(matches(press("?", { shiftKey: true }), "?", false)).toBe(true);
  expect(matches(press("/"), "/", false)).toBe(true);
  expect(matches(press("\\", { ctrlKey: true }), "Mod+\\", false)).toBe(true);
});

test("key caps are written as the platform writes them", () => {
  expect(caps("Mod+Shift+F", true)).toEqual(["⌘", "⇧", "F"]);
  expect(caps("Mod+Alt+ArrowRight", false)).toEqual(["Ctrl", "Alt", "→"]);
  expect(caps("+", false)).toEqual(["+"]);
  expect(ariaKeys("Mod+B", false)).toBe("Control+B");
});

test("a person in a field is typing", () => {
  expect(isTyping(document.createElement("input"))).toBe(true);
  expect(isTyping(document.createElement("div"))).toBe(false);
  expect(isTyping(null)).toBe(false);
});
