/** The shortcuts as a person wants them: others than ours for some commands, and single keys or none. Kept by the browser. */
import { recall, remember } from "./browser-storage";
import type { Command } from "./commands";
import { isMac, type KeyText } from "./shortcuts";

type Chosen = Readonly<Record<string, readonly KeyText[]>>;
const MODIFIERS = ["Control", "Shift", "Alt", "Meta", "AltGraph", "CapsLock", "Dead", "Process", "Unidentified"];

export class KeyChoice {
  #single = $state(recall("single-keys", isFlag) ?? true);
  #chosen = $state.raw<Chosen>(recall("shortcuts", isChosen) ?? {});
  /** Somebody presses the keys that a command is to have: they do nothing else meanwhile. */
  isRecording = $state(false);

  /** Whether a key without Ctrl or Alt does something where nobody types. */
  get single(): boolean {
    return this.#single;
  }

  set single(on: boolean) {
    this.#single = on;
    remember("single-keys", on);
  }

  get isChanged(): boolean {
    return Object.keys(this.#chosen).length > 0;
  }

  /** A command with the keys that it has now, whatever becomes of them. */
  readonly applied = (command: Command): Command => {
    const { keys } = command;
    const now = (): KeyText[] => this.#now(command.id, keys);
    return { ...command, get keys() { return now(); } };
  };

  isOwn(id: string): boolean {
    return id in this.#chosen;
  }

  /** Gives a command these keys alone; none takes all of them. */
  choose(id: string, keys: KeyText | null): void {
    this.#keep({ ...this.#chosen, [id]: keys === null ? [] : [keys] });
  }

  /** Gives a command its own keys again, or all commands theirs. */
  reset(id?: string): void {
    this.#keep(id === undefined ? {} : Object.fromEntries(Object.entries(this.#chosen).filter(([other]) => other !== id)));
  }

  #now(id: string, keys: readonly KeyText[]): KeyText[] {
    return (this.#chosen[id] ?? keys).filter((one) => this.#single || !isSingle(one));
  }

  #keep(chosen: Chosen): void {
    this.#chosen = chosen;
    remember("shortcuts", chosen);
  }
}

/** A key that needs no other beside it, F keys aside. */
export function isSingle(keys: KeyText): boolean {
  return !/Mod|Ctrl|Alt|^F\d|\+F\d/.test(keys);
}

/** What was pressed, as a shortcut is written; null for a key that is none by itself. */
export function keysOf(event: Pick<KeyboardEvent, "key" | "ctrlKey" | "metaKey" | "altKey" | "shiftKey">, mac: boolean = isMac()): KeyText | null {
  if (MODIFIERS.includes(event.key) || event.key === " " || event.key === "+") return null;
  const held: readonly (readonly [boolean, string])[] = [
    [mac ? event.metaKey : event.ctrlKey, "Mod"],
    [mac && event.ctrlKey, "Ctrl"],
    [event.altKey, "Alt"],
    [event.shiftKey && !isSign(event.key), "Shift"],
  ];
  const key = event.key.length === 1 ? event.key.toUpperCase() : event.key;
  return [...held.flatMap(([isHeld, name]) => (isHeld ? [name] : [])), key].join("+");
}

/** A sign needs Shift on some keyboards and not on others. */
function isSign(key: string): boolean {
  return key.length === 1 && !/[A-Za-z\\]/.test(key);
}

function isFlag(value: unknown): value is boolean {
  return typeof value === "boolean";
}

function isChosen(value: unknown): value is Chosen {
  return typeof value === "object" && value !== null && Object.values(value).every((keys) => Array.isArray(keys) && keys.every((one) => typeof one === "string"));
}
