/** The keys of command mode, as Jupyter's users know them. */
import type { NotebookControl } from "./control.svelte";

/** A key that must be pressed twice must be so within this time. */
const TWICE_MS = 800;
const TWICE = new Set(["d", "i", "0"]);

type Act = (control: NotebookControl, id: string) => void;

const HEADINGS = Object.fromEntries([1, 2, 3, 4, 5, 6].map((level): [string, Act] => [String(level), (control) => { control.chosen.setHeading(level); }]));

const ACTS: Record<string, Act> = {
  Enter: (control, id) => { control.edit(id); },
  "Shift+Enter": (control) => { control.chosen.run("next"); },
  "Mod+Enter": (control) => { control.chosen.run("stay"); },
  "Alt+Enter": (control) => { control.chosen.run("insert"); },
  ArrowUp: (control, id) => { control.step(id, -1); },
  ArrowDown: (control, id) => { control.step(id, 1); },
  k: (control, id) => { control.step(id, -1); },
  j: (control, id) => { control.step(id, 1); },
  "Shift+ArrowUp": (control, id) => { control.chosen.extend(id, -1); },
  "Shift+ArrowDown": (control, id) => { control.chosen.extend(id, 1); },
  "Shift+K": (control, id) => { control.chosen.extend(id, -1); },
  "Shift+J": (control, id) => { control.chosen.extend(id, 1); },
  "Mod+a": (control) => { control.chosen.all(); },
  "Mod+Shift+ArrowUp": (control) => { control.chosen.move(-1); },
  "Mod+Shift+ArrowDown": (control) => { control.chosen.move(1); },
  a: (control, id) => { control.add(control.text.indexOf(id), "code"); },
  b: (control, id) => { control.add(control.text.indexOf(id) + 1, "code"); },
  x: (control) => { control.chosen.cut(); },
  c: (control) => { control.chosen.copy(); },
  v: (control, id) => { control.chosen.paste(id, 1); },
  "Shift+V": (control, id) => { control.chosen.paste(id, 0); },
  m: (control) => { control.chosen.setKind("markdown"); },
  y: (control) => { control.chosen.setKind("code"); },
  r: (control) => { control.chosen.setKind("raw"); },
  ...HEADINGS,
  o: (control) => { control.foldChosen(); },
  "Shift+O": (control) => { control.scrollChosen(); },
  l: (control, id) => { control.numbered.toggle([id]); },
  "Shift+L": (control) => { control.numbered.toggle(control.cells.map((cell) => cell.id)); },
  f: (control) => { control.viewer.openReplace(); },
  s: (control) => { control.save(); },
  z: (control) => { control.undo(); },
  "Shift+Z": (control) => { control.undo("redo"); },
  "Mod+z": (control) => { control.undo(); },
  "Mod+Shift+Z": (control) => { control.undo("redo"); },
  "Shift+M": (control) => { control.chosen.merge(); },
  h: (control) => { control.showsKeys = !control.showsKeys; },
  "Shift+?": (control) => { control.showsKeys = !control.showsKeys; },
  dd: (control) => { control.chosen.remove(); },
  ii: (control) => { control.order("interrupt"); },
  "00": (control) => { control.order("restart"); },
};

/** What is told of the keys, in the order of the list. */
export const KEY_LIST: readonly (readonly [keys: string, what: string])[] = [
  ["Enter, Escape", "edit the cell; back to these keys"],
  ["Shift+Enter, Ctrl+Enter, Alt+Enter", "run, and go on; stay; add a cell below"],
  ["↑ ↓, K J", "the cell above, below"],
  ["Shift+↑ ↓, Ctrl+A", "select several; all"],
  ["Ctrl+Shift+↑ ↓", "move up, down"],
  ["A, B", "a new cell above, below"],
  ["X, C, V, Shift+V", "cut, copy, put below, above"],
  ["D D", "delete"],
  ["M, Y, R", "text, code, raw"],
  ["1 to 6", "a heading"],
  ["Shift+M", "join the selected cells, or one with the next"],
  ["Tab, Shift+Tab", "while editing: how a name goes on; what it is"],
  ["Ctrl+Shift+-", "while editing: split at the cursor"],
  ["O, Shift+O", "fold the outputs; have them scroll"],
  ["L, Shift+L", "numbers of lines here, everywhere"],
  ["F, Ctrl+F", "find and replace in all cells; find"],
  ["S", "save now"],
  ["Z, Shift+Z", "undo, redo, also of deleted cells"],
  ["I I, 0 0", "interrupt, restart the kernel"],
  ["H, ?", "this list"],
];

export class CommandKeys {
  #last: { key: string; at: number } | null = null;

  /** Acts on a key; whether it meant something. */
  press(event: KeyboardEvent, control: NotebookControl, id: string): boolean {
    const name = nameOf(event);
    const isSecond = this.#last?.key === name && event.timeStamp - this.#last.at < TWICE_MS;
    this.#last = null;
    if (name === "Escape" && control.showsKeys) {
      control.showsKeys = false;
      return true;
    }
    if (TWICE.has(name)) {
      if (isSecond) ACTS[name + name]?.(control, id);
      else this.#last = { key: name, at: event.timeStamp };
      return true;
    }
    const act = ACTS[name];
    act?.(control, id);
    return act !== undefined;
  }
}

function nameOf({ key, shiftKey, altKey, ctrlKey, metaKey }: KeyboardEvent): string {
  return `${ctrlKey || metaKey ? "Mod+" : ""}${altKey ? "Alt+" : ""}${shiftKey ? "Shift+" : ""}${key}`;
}
