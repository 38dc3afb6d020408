/** Keys that mean something only in one place, listed for the shortcut sheet. */
import type { KeyText } from "../../core/shortcuts";

export interface KeyGroup {
  name: string;
  rows: { title: string; keys: KeyText[] }[];
}

export const PLACE_KEYS: readonly KeyGroup[] = [
  {
    name: "In the file tree",
    rows: [
      { title: "Move", keys: ["ArrowUp", "ArrowDown"] },
      { title: "Open or close a folder", keys: ["ArrowRight", "ArrowLeft"] },
      { title: "First, last", keys: ["Home", "End"] },
      { title: "A page up, a page down", keys: ["PageUp", "PageDown"] },
      { title: "Open the file and keep its tab", keys: ["Enter"] },
    ],
  },
  {
    name: "In contexts and skills",
    rows: [
      { title: "Move over contexts and skills", keys: ["ArrowUp", "ArrowDown"] },
      { title: "Switch on or off", keys: ["Space"] },
      { title: "Show what it holds, hide it", keys: ["ArrowRight", "ArrowLeft"] },
      { title: "Edit, or read its text", keys: ["F2"] },
      { title: "Delete", keys: ["Delete"] },
    ],
  },
  {
    name: "On a tab",
    rows: [
      { title: "Choose the tab beside it", keys: ["ArrowLeft", "ArrowRight"] },
      { title: "Move the tab", keys: ["Alt+Shift+ArrowLeft", "Alt+Shift+ArrowRight"] },
      { title: "Close", keys: ["Delete"] },
    ],
  },
  {
    name: "In the document",
    rows: [
      { title: "Next match, previous match", keys: ["Mod+G", "Mod+Shift+G"] },
      { title: "Select the next place with the same words, too", keys: ["Mod+D"] },
      { title: "A cursor above as well, or below", keys: ["Mod+Alt+ArrowUp", "Mod+Alt+ArrowDown"] },
      { title: "Back, forward", keys: ["Alt+ArrowLeft", "Alt+ArrowRight"] },
      { title: "Close the find bar", keys: ["Escape"] },
      { title: "Indent, or nest an item of a list", keys: ["Tab"] },
      { title: "One step back", keys: ["Shift+Tab"] },
      { title: "Leave the text: one key, then the other", keys: ["Escape", "Tab"] },
      { title: "To the bar beside a selection, away with it", keys: ["Alt+Enter", "Escape"] },
      { title: "Next edit to review, previous edit", keys: ["Alt+ArrowDown", "Alt+ArrowUp"] },
      { title: "Accept the edit at the cursor, reject it", keys: ["Mod+Enter", "Mod+Alt+Enter"] },
      { title: "From the dots of the threads back to the text", keys: ["Escape"] },
    ],
  },
  {
    name: "On the dot of a thread",
    rows: [
      { title: "Next thread, previous thread", keys: ["ArrowDown", "ArrowUp"] },
      { title: "First, last", keys: ["Home", "End"] },
      { title: "Open the thread", keys: ["Enter"] },
    ],
  },
  {
    name: "On a picture",
    rows: [
      { title: "Larger, smaller", keys: ["+", "-"] },
      { title: "Fit into the page, its own size", keys: ["0", "1"] },
    ],
  },
  {
    name: "In the message field",
    rows: [
      { title: "Send; while an answer runs, queue", keys: ["Enter"] },
      { title: "Steer the answer that runs", keys: ["Mod+Enter"] },
      { title: "New line", keys: ["Shift+Enter"] },
      { title: "Add a file of the folder, switch a skill or give a command", keys: ["@", "/"] },
      { title: "Stop the answer, then leave the field", keys: ["Escape"] },
    ],
  },
  {
    name: "In a conversation",
    rows: [
      { title: "Find in this chat", keys: ["Mod+F"] },
      { title: "The first message, the last one", keys: ["Home", "End"] },
    ],
  },
  {
    name: "On the edge of a panel",
    rows: [
      { title: "Wider, narrower", keys: ["ArrowLeft", "ArrowRight"] },
      { title: "In larger steps", keys: ["Shift+ArrowLeft", "Shift+ArrowRight"] },
      { title: "Show or hide", keys: ["Enter"] },
    ],
  },
];
