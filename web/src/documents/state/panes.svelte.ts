/** The document page, whole or split: one set of tabs, or two side by side. The person is in one of them. */
import { isAtOrBelow } from "../../core/paths";
import { recall, remember } from "../../core/browser-storage";
import { Places } from "./places";
import { TextPlaces } from "./text-places";
import { Recent, Tabs } from "./tabs.svelte";

export class Panes {
  items = $state.raw<readonly Tabs[]>([]);
  /** The side that should take the focus once it shows; taken by the view. */
  wantsFocus = $state.raw<Tabs | null>(null);
  readonly places: Places;
  readonly textPlaces: TextPlaces;
  readonly #projectId: string;
  readonly #recent: Recent;
  #focused = $state.raw<Tabs | null>(null);

  constructor(projectId: string) {
    this.#projectId = projectId;
    this.places = new Places(projectId);
    this.textPlaces = new TextPlaces(projectId);
    this.#recent = new Recent(projectId);
    const left = new Tabs(projectId, "left", this.#recent);
    const right = new Tabs(projectId, "right", this.#recent);
    this.items = recall(this.#key, isSplit, "tab-first") ? [left, right] : [left];
    this.settle();
  }

  /** The tabs where the person is. */
  get active(): Tabs {
    const [left] = this.items;
    if (!left) throw new Error("There is always a left side.");
    return this.items.find((tabs) => tabs === this.#focused) ?? left;
  }

  get isSplit(): boolean {
    return this.items.length > 1;
  }

  /** The files that are open on any side. */
  get paths(): readonly string[] {
    return [...new Set(this.items.flatMap((tabs) => tabs.items.map((tab) => tab.path)))];
  }

  /** The files that show now, the one where the person is first. */
  get shown(): readonly string[] {
    const inOrder = [this.active, ...this.items.filter((tabs) => tabs !== this.active)];
    return [...new Set(inOrder.flatMap((tabs) => tabs.active ?? []))];
  }

  /** A file, or a folder, has another path now. */
  rename(path: string, newPath: string): void {
    for (const tabs of this.items) tabs.rename(path, newPath);
    this.#recent.rename(path, newPath);
    this.places.rename(path, newPath);
    this.textPlaces.rename(path, newPath);
  }

  /** A file, or a folder, is gone, and so are its tabs. */
  drop(path: string): void {
    for (const tabs of this.items) {
      for (const tab of tabs.items) if (isAtOrBelow(tab.path, path)) tabs.close(tab.path);
    }
  }

  focus(tabs: Tabs): void {
    this.#focused = tabs;
  }

  focusOther(): void {
    this.#focused = this.items.find((tabs) => tabs !== this.active) ?? this.active;
  }

  /** Shows the chosen file a second time, on the right, and goes there. */
  split(): void {
    const { active, items } = this.active;
    if (this.isSplit || active === null) return;
    const right = new Tabs(this.#projectId, "right", this.#recent);
    right.closeAll();
    right.open(active, items.some((tab) => tab.path === active && tab.pinned));
    this.items = [...this.items, right];
    this.#focused = this.wantsFocus = right;
    remember(this.#key, true, "tab-first");
  }

  /** One side again: the tabs of the right go to the left, and what showed on one of them stays. */
  join(kept: Tabs = this.active): void {
    const [left, right] = this.items;
    if (!left || !right) return;
    left.takeIn(right.items, kept.active ?? left.active ?? right.active);
    right.closeAll();
    this.items = [left];
    this.#focused = null;
    remember(this.#key, false, "tab-first");
  }

  /** A side without tabs goes. */
  settle(): void {
    if (this.items.some((tabs) => tabs.items.length === 0)) this.join();
  }

  get #key(): string {
    return `split.${this.#projectId}`;
  }
}

function isSplit(value: unknown): value is true {
  return value === true;
}
