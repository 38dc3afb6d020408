import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { LiveText, PASTING, TYPING } from "./live-text";
import { TextViewer } from "../viewer";

beforeEach(() => { vi.useFakeTimers(); });
afterEach(() => { vi.useRealTimers(); });

/** A text that is shown, somebody who types into it, and the moment in which it becomes live. */
function opened(text: string, path = "a.md") {
  const viewer = new TextViewer(document.createElement("div"));
  viewer.show({ path, text, hash: "1" });
  const send = (event: Event) => viewer.view.contentDOM.dispatchEvent(event);
  const input = (inputType: string, data: string | null = null) => send(new InputEvent("beforeinput", { inputType, data, bubbles: true, cancelable: true }));
  const type = (words: string) => { for (const letter of words) input("insertText", letter); };
  const becomeLive = (content = text, onWritten: (origin: unknown) => void = () => undefined) => {
    const live = new LiveText(path);
    live.text.insert(0, content);
    live.text.observe((_event, { origin }) => { onWritten(origin); });
    viewer.show({ path, text, hash: "1", live });
    return live;
  };
  return { viewer, send, input, type, becomeLive };
}

test("what is typed before a text is live is written once it is, and is one step to undo", () => {
  const { viewer, send, input, type, becomeLive } = opened("One.\n");
  viewer.view.dispatch({ selection: { anchor: 4 } });
  type(" Twoo");
  send(new KeyboardEvent("keydown", { key: "Backspace" }));
  input("insertParagraph");
  type("3");
  expect(viewer.text).toBe("One.\n");
  const live = becomeLive();
  expect([live.content, viewer.view.state.selection.main.head]).toEqual(["One. Two\n3\n", 10]);
  live.undo.undo();
  expect(live.content).toBe("One.\n");
  becomeLive();
  expect(viewer.text).toBe("One.\n");
});

test("it goes where the cursor was, into a text that became longer or shorter as well", () => {
  const { viewer, type, becomeLive } = opened("One two three");
  viewer.view.dispatch({ selection: { anchor: 4, head: 7 } });
  type("2");
  viewer.view.dispatch({ selection: { anchor: 13 } });
  type("!");
  expect(becomeLive().content).toBe("One 2 three!");
  const shorter = opened("One two three");
  shorter.viewer.view.dispatch({ selection: { anchor: 13 } });
  shorter.type("!");
  expect(shorter.becomeLive("One").content).toBe("One!");
});

test("what was composed is kept, too", () => {
  const { send, becomeLive } = opened("");
  send(new CompositionEvent("compositionend", { data: "漢字", bubbles: true }));
  expect(becomeLive().content).toBe("漢字");
});

test("what was pasted is kept, and counts as pasted", () => {
  const { viewer, send, type, becomeLive } = opened("");
  const clipboardData = { getData: () => "a\r\nb" };
  send(Object.assign(new Event("paste", { bubbles: true, cancelable: true }), { clipboardData }));
  type("c");
  const origins: unknown[] = [];
  const live = becomeLive("", (origin) => origins.push(origin));
  expect([live.content, origins]).toEqual(["a\nbc", [PASTING]]);
  viewer.show({ path: "a.md", text: "", hash: "1" });
  type("d");
  becomeLive("", (origin) => origins.push(origin));
  expect(origins).toEqual([PASTING, TYPING]);
});

test("nothing of it goes into another text, nor is it lost however long a text takes to become live", () => {
  const { viewer, type, becomeLive } = opened("One two");
  viewer.view.dispatch({ selection: { anchor: 3 } });
  type("x");
  const other = new LiveText("b.md");
  viewer.show({ path: "b.md", text: "", hash: "2", live: other });
  expect([other.content, viewer.early.isWaiting]).toEqual(["", true]);
  viewer.show({ path: "a.md", text: "Now: One two", hash: "3" });
  viewer.view.dispatch({ selection: { anchor: 12 } });
  type("y");
  vi.advanceTimersByTime(3_600_000);
  expect(becomeLive("Here and now: One two").content).toBe("Here and now: Onex twoy");
  expect(viewer.early.isWaiting).toBe(false);
});

test("what was typed is forgotten with the tab, and nothing is kept for a text that is too large to be edited", () => {
  const { viewer, type, becomeLive } = opened("One");
  type("x");
  viewer.keepOnly(["b.md"]);
  expect(becomeLive().content).toBe("One");
  viewer.show({ path: "large.log", text: "1", hash: "1", part: { number: 1, firstLine: 1 } });
  type("y");
  expect(viewer.early.isWaiting).toBe(false);
});
