/** The keys of command mode, as Jupyter's users know them. */
import type { NotebookControl } from "./control.svelte";

/** A key that must be pressed twice must be so within this time. */
const TWICE_MS = 800;
const TWICE = new Set(["d", "i", "0"]);

type Act = (control: NotebookControl, id: string) => void;

const ACTS: Record<string, Act> = {
  Enter: (control, id) => { control.edit(id); },
  "Shift+Enter": (control, id) => { control.run(id, "next"); },
  "Mod+Enter": (control, id) => { control.run(id, "stay"); },
  "Alt+Enter": (control, id) => { control.run(id, "insert"); },
  ArrowUp: (control, id) => { control.step(id, -1); },
  ArrowDown: (control, id) => { control.step(id, 1); },
  k: (control, id) => { control.step(id, -1); },
  j: (control, id) => { control.step(id, 1); },
  a: (control, id) => { control.add(control.text.indexOf(id), "code"); },
  b: (control, id) => { control.add(control.text.indexOf(id) + 1, "code"); },
  x: (control, id) => { control.cut(id); },
  c: (control, id) => { control.copy(id); },
  v: (control, id) => { control.paste(id, 1); },
  "Shift+V": (control, id) => { control.paste(id, 0); },
  m: (control, id) => { control.setKind(id, "markdown"); },
  y: (control, id) => { control.setKind(id, "code"); },
  r: (control, id) => { control.setKind(id, "raw"); },
  o: (control, id) => { control.toggleFold(id); },
  z: (control) => { control.undo(); },
  "Shift+Z": (control) => { control.redo(); },
  "Mod+z": (control) => { control.undo(); },
  "Mod+Shift+Z": (control) => { control.redo(); },
  "Shift+M": (control, id) => { control.merge(id); },
  dd: (control, id) => { control.remove(id); },
  ii: (control) => { control.order("interrupt"); },
  "00": (control) => { control.order("restart"); },
};

export class CommandKeys {
  #last: { key: string; at: number } | null = null;

  /** Acts on a key; whether it meant something. */
  press(event: KeyboardEvent, control: NotebookControl, id: string): boolean {
    const { key, shiftKey, altKey, ctrlKey, metaKey } = event;
    const name = `${ctrlKey || metaKey ? "Mod+" : ""}${altKey ? "Alt+" : ""}${shiftKey ? "Shift+" : ""}${key}`;
    const isSecond = this.#last?.key === name && event.timeStamp - this.#last.at < TWICE_MS;
    this.#last = null;
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
