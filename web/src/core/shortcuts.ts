/** Shortcuts as text ("Mod+Shift+F"): matching them against key events, and writing them as people read them. */

export type KeyText = string;

/** What a shortcut needs of a keyboard event. */
export type KeyPress = Pick<KeyboardEvent, "key" | "code" | "ctrlKey" | "metaKey" | "shiftKey" | "altKey">;

const MAC_SIGNS: Record<string, string> = { Mod: "⌘", Ctrl: "⌃", Shift: "⇧", Alt: "⌥" };
const SIGNS: Record<string, string> = {
  Mod: "Ctrl", ArrowUp: "↑", ArrowDown: "↓", ArrowLeft: "←", ArrowRight: "→",
  Enter: "↵", Escape: "Esc", PageUp: "Page up", PageDown: "Page down", Delete: "Del",
};

export function isMac(platform: string = navigator.platform): boolean {
  return /^(Mac|iP)/.test(platform);
}

/** Whether an event is the shortcut, modifiers exact. */
export function matches(event: KeyPress, keys: KeyText, mac: boolean = isMac()): boolean {
  const parts = keys.split("+");
  const key = parts.at(-1) ?? "";
  const wants = (name: string) => parts.slice(0, -1).includes(name);
  const modifiers =
    event.metaKey === (mac && wants("Mod")) &&
    event.ctrlKey === (wants("Ctrl") || (!mac && wants("Mod"))) &&
    event.altKey === wants("Alt");
  if (!modifiers) return false;
  // A sign such as ? needs Shift on some keyboards and not on others: the sign itself decides.
  if (key.length === 1 && !/[A-Za-z\\]/.test(key)) return event.key === key;
  return event.shiftKey === wants("Shift") && isKey(event, key);
}

function isKey(event: KeyPress, key: string): boolean {
  if (key.length > 1) return event.key === key;
  if (key === "\\") return event.key === "\\" || event.code === "Backslash";
  return event.key.toLowerCase() === key.toLowerCase();
}

/** The parts of a shortcut, one for each key cap. */
export function caps(keys: KeyText, mac: boolean = isMac()): string[] {
  return keys.split(/(?<=.)\+/).map((part) => (mac ? (MAC_SIGNS[part] ?? SIGNS[part] ?? part) : (SIGNS[part] ?? part)));
}

/** The shortcut as aria-keyshortcuts wants it. */
export function ariaKeys(keys: KeyText, mac: boolean = isMac()): string {
  return keys.replace("Mod", mac ? "Meta" : "Control").replace("Ctrl", "Control");
}

/** Whether the person is typing: then plain keys belong to the text. */
export function isTyping(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  return target.isContentEditable || target.matches("input, textarea, select");
}
