/** This tab of the browser by a name of its own, and which other tabs are still open. */
import { isText, recall, remember } from "./browser-storage";

/** A lock that every open tab holds: the browser lets go of it however the tab ends. */
const LOCK = "recto.tab.";

interface Named {
  id: string;
  /** The page was left in order: reloaded, closed or gone elsewhere. */
  left: boolean;
}

export class BrowserTab {
  readonly id: string;

  constructor() {
    const named = recall("tab", isNamed, "tab");
    // A duplicate gets a copy of all that its original remembers, which was not left: it needs another name.
    this.id = named?.left ? named.id : crypto.randomUUID();
    this.#remember(false);
    window.addEventListener("pagehide", () => { this.#remember(true); });
    window.addEventListener("pageshow", () => { this.#remember(false); });
    void navigator.locks.request(LOCK + this.id, () => new Promise<never>(() => undefined));
  }

  /** The names of the tabs that are open, this one among them. */
  async open(): Promise<ReadonlySet<string>> {
    const { held = [], pending = [] } = await navigator.locks.query();
    const names = [...held, ...pending].flatMap(({ name }) => (name?.startsWith(LOCK) ? [name.slice(LOCK.length)] : []));
    return new Set([this.id, ...names]);
  }

  #remember(left: boolean): void {
    remember("tab", { id: this.id, left } satisfies Named, "tab");
  }
}

function isNamed(value: unknown): value is Named {
  return typeof value === "object" && value !== null && "id" in value && isText(value.id) && "left" in value && typeof value.left === "boolean";
}
