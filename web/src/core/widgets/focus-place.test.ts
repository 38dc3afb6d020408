import { afterEach, beforeEach, expect, test } from "vitest";
import { keepFocus, placeOf } from "./focus-place";
import { modal } from "./modal";

let stop: () => void;
beforeEach(() => { stop = keepFocus(); });
afterEach(() => {
  stop();
  document.body.replaceChildren();
});

const frames = () => new Promise((resolve) => { requestAnimationFrame(() => requestAnimationFrame(resolve)); });
const named = () => document.activeElement?.id;

function draw(html: string): void {
  document.body.innerHTML = html;
}

function button(id: string): HTMLElement {
  const found = document.getElementById(id);
  if (!found) throw new Error(`There is no ${id}.`);
  return found;
}

test("what takes the place of a button that goes has the focus", async () => {
  draw('<div><button id="more"></button><button id="stop"></button><textarea id="field"></textarea></div>');
  button("stop").focus();
  button("stop").outerHTML = '<button id="send"></button>';
  await frames();
  expect(named()).toBe("send");
});

test("without one it is the neighbour, else the next place outside, never a text", async () => {
  draw('<main><textarea id="field"></textarea><button id="outside"></button><div id="card"><p><button id="a"></button><button id="b"></button></p></div></main>');
  button("b").focus();
  button("b").remove();
  await frames();
  expect(named()).toBe("a");
  button("card").remove();
  await frames();
  expect(named()).toBe("outside");
});

test("a field that is drawn anew may be written in again", async () => {
  draw('<div><input id="old"></div>');
  button("old").focus();
  button("old").outerHTML = '<input id="new">';
  await frames();
  expect(named()).toBe("new");
});

test("who clicks beside everything has left, and is not called back", async () => {
  draw('<div><button id="a"></button></div>');
  button("a").focus();
  button("a").blur();
  await Promise.resolve();
  button("a").after(document.createElement("button"));
  await frames();
  expect(document.activeElement).toBe(document.body);
});

test("what says itself where the focus goes is not overruled", async () => {
  draw('<div><button id="a"></button><button id="b"></button></div><button id="far"></button>');
  button("a").focus();
  button("a").remove();
  await Promise.resolve();
  button("far").focus();
  await frames();
  expect(named()).toBe("far");
});

test("a dialog gives the focus back to what stands where it came from", () => {
  HTMLDialogElement.prototype.showModal = () => undefined;
  HTMLDialogElement.prototype.close = () => undefined;
  draw('<div role="tree" id="tree"><div role="treeitem" tabindex="-1"><button></button></div><div role="treeitem" id="old" tabindex="0"></div></div>');
  button("old").focus();
  const close = modal(document.createElement("dialog"));
  button("tree").innerHTML = '<div role="treeitem" id="renamed" tabindex="0"></div><div role="treeitem" tabindex="-1"><button></button></div>';
  close();
  expect(named()).toBe("renamed");
  expect(placeOf(button("renamed"))()).toBe(button("renamed"));
});
