/** Theme and text size: chosen by the person, remembered by the browser, shown as attributes of the page. */
import { oneOf, recall, remember } from "../core/browser-storage";

export const THEMES = ["system", "light", "dark"] as const;
export const TEXT_SIZES = ["small", "normal", "large", "larger"] as const;
export type ThemeChoice = (typeof THEMES)[number];
export type TextSize = (typeof TEXT_SIZES)[number];

export class Theme {
  #choice = $state<ThemeChoice>(recall("theme", oneOf(...THEMES)) ?? "system");
  #textSize = $state<TextSize>(recall("text-size", oneOf(...TEXT_SIZES)) ?? "normal");
  /** One rem in pixels, as the text size and the browser make it. */
  rem = $state(16);
  readonly #root: HTMLElement;

  constructor(root: HTMLElement = document.documentElement) {
    this.#root = root;
    this.#show();
  }

  get choice(): ThemeChoice {
    return this.#choice;
  }

  set choice(choice: ThemeChoice) {
    this.#choice = choice;
    remember("theme", choice);
    this.#show();
  }

  get textSize(): TextSize {
    return this.#textSize;
  }

  set textSize(size: TextSize) {
    this.#textSize = size;
    remember("text-size", size);
    this.#show();
  }

  #show(): void {
    if (this.#choice === "system") delete this.#root.dataset["theme"];
    else this.#root.dataset["theme"] = this.#choice;
    if (this.#textSize === "normal") delete this.#root.dataset["textSize"];
    else this.#root.dataset["textSize"] = this.#textSize;
    // Without layout, as in tests, there is no computed size.
    this.rem = Number.parseFloat(getComputedStyle(this.#root).fontSize) || 16;
  }
}
