import { expect, test, vi } from "vitest";
import { REVEAL_MS } from "../ghost/options";
import { cellsAround } from "./cells-around";
import { joinedCell, splitCells } from "./cells-text";
import { CELLS, opened } from "./fake-notebook";

test("around code, text is a comment; around text, code is in fences; empty cells say nothing", () => {
  const cells = splitCells(CELLS);
  expect(cellsAround(cells, "fit", "Python")).toEqual({ before: "# # Tides\n# Levels.\n\nh = 1\n\n", after: "\n\nplot(amp)" });
  expect(cellsAround(cells, "load", "JavaScript").before).toBe("// # Tides\n// Levels.\n\n");
  expect(cellsAround(cells, "head", null)).toEqual({ before: "", after: "\n\n```\nh = 1\n```\n\n```\namp = fit(\n```\n\n```\nplot(amp)\n```" });
});

test("of a long notebook only the cells nearby are told", () => {
  const many = Array.from({ length: 200 }, (_, at) => joinedCell("code", `c${String(at)}`, `x${String(at)} = "${"a".repeat(200)}"`)).join("");
  const { before, after } = cellsAround(splitCells(many), "c100", "Python");
  expect([before.includes("x99 "), before.includes("x10 "), after.includes("x101 "), after.includes("x190 ")]).toEqual([true, false, true, false]);
});

/** A suggestion that shows at the end of a cell. */
async function suggested(text: string) {
  vi.useFakeTimers();
  const all = opened();
  const editor = all.edit("fit");
  const ways: unknown[] = [];
  all.live.onEdit((_, way) => { ways.push(way); });
  editor.focus("end");
  all.viewer.enter("fit", editor.view);
  all.viewer.suggest();
  await all.source.say(text);
  await all.source.end();
  await vi.advanceTimersByTimeAsync(REVEAL_MS + 100);
  editor.view.contentDOM.dispatchEvent(new KeyboardEvent("keydown", { key: "Tab", bubbles: true, cancelable: true }));
  vi.useRealTimers();
  return { ...all, ways };
}

test("a suggestion is asked for with the cells around, and what is taken has the suggestion as its author", async () => {
  const { source, notebook, ways } = await suggested("h)");
  expect(source.asked).toEqual([{ path: "a.ipynb", prefix: "# # Tides\n# Levels.\n\nh = 1\n\namp = fit(", suffix: "\n\nplot(amp)", language: "Python" }]);
  expect([notebook.cell("fit")?.source, ways]).toEqual(["amp = fit(h)", [{ accepted: "id1" }]]);
});

test("a suggestion with the mark that begins a cell is not taken", async () => {
  const { notebook } = await suggested("h)\n\x1fcode x\n");
  expect(notebook.cells.map(({ id }) => id)).toEqual(["head", "load", "blank", "fit", "plot"]);
});
