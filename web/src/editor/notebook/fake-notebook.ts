/** A notebook with its cells' editors, for tests. */
import { FakeSource } from "../ghost/fake-source";
import { BY_OTHERS, LiveText } from "../live/live-text";
import { CellEditor } from "./cell-editor";
import type { KernelKnowledge } from "./code-help";
import { joinedCell } from "./cells-text";
import { NotebookText } from "./notebook-text";
import { NotebookViewer } from "./notebook-viewer";

export const CELLS = joinedCell("markdown", "head", "# Tides\nLevels.") + joinedCell("code", "load", "h = 1") + joinedCell("code", "blank", "") + joinedCell("code", "fit", "amp = fit(") + joinedCell("code", "plot", "plot(amp)");

export function opened(cells = CELLS, knowledge: KernelKnowledge | null = null) {
  const nothing = () => undefined;
  const server = new LiveText("a.ipynb");
  server.text.insert(0, cells);
  const live = new LiveText("a.ipynb");
  live.epoch = "one";
  live.apply(server.missing(live.version()), BY_OTHERS);
  const notebook = new NotebookText(live);
  const source = new FakeSource();
  const shown: [string, number, number, boolean][] = [];
  const seen: ReadonlyMap<string, number | null>[] = [];
  const viewer = new NotebookViewer(document.body, {
    notebook,
    threads: { open: nothing, openAll: nothing, onSeen: (_path, { lines }) => { seen.push(lines); } },
    show: (...place) => { shown.push(place); },
    focus: nothing, onSelection: nothing, onAuthor: nothing, onText: nothing, onThreads: nothing, edited: nothing, save: nothing,
  });
  const edit = (id: string) => new CellEditor(document.body, {
    notebook, id, filename: notebook.cell(id)?.kind === "markdown" ? "cell.md" : "cell.py", label: "Code of the cell", ghost: source, knowledge, viewer,
    keys: { run: nothing, leave: nothing, pass: () => false, split: nothing, save: nothing, edited: nothing },
    review: { decide: () => Promise.resolve("done"), author: () => "", onStanding: nothing },
  });
  return { live, notebook, source, viewer, edit, shown, seen };
}
