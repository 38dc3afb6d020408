/** What a command of the page is, and which one a key press means. */
import { isTyping, type KeyPress, type KeyText, matches } from "./shortcuts";

export interface Command {
  id: string;
  title: string;
  group: CommandGroup;
  keys: KeyText[];
  /** A plain key such as ? works only where nobody types. */
  enabled(): boolean;
  run(): void;
}

export type CommandGroup = "Go to" | "Chat" | "Contexts and skills" | "Document" | "Writing" | "Panels" | "Tabs" | "Files" | "Git" | "Project" | "Look";

/** What only the view can do. */
export interface PageActions {
  focusRegion(step: 1 | -1): void;
  /** Puts the focus into what the left panel shows. */
  enterLeftPanel(): void;
  /** Fetches a file from the server into the person's downloads. */
  download(address: string): void;
}

/** The command a key press means, if any. */
export function commandFor(commands: readonly Command[], event: KeyPress & { target: EventTarget | null }): Command | null {
  const typing = isTyping(event.target);
  const plain = (keys: KeyText) => !/Mod|Ctrl|Alt|^F\d|\+F\d/.test(keys);
  return (
    commands.find(
      (command) => command.enabled() && command.keys.some((keys) => matches(event, keys) && !(typing && plain(keys))),
    ) ?? null
  );
}
