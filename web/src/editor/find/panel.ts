/** The find bar: what to find, how, what to put in its place. */
import { closeSearchPanel, findNext, findPrevious, getSearchQuery, replaceAll, replaceNext, SearchQuery, setSearchQuery } from "@codemirror/search";
import type { Command, EditorView, Panel, ViewUpdate } from "@codemirror/view";
import { runScopeHandlers } from "@codemirror/view";
import { button, field, type Icon, iconButton, row, switchButton } from "./parts";
import { type Found, placesOf, tallyOf, tallyText } from "./tally";

/** What the find bar asks of the text around it. */
export interface FindOptions {
  /** Makes what follows, and what was before, steps of their own for undo. */
  endStep: () => void;
  /** Whether what is found counts; everything does without this. */
  counts?: FindTest;
}

type FindTest = NonNullable<ConstructorParameters<typeof SearchQuery>[0]["test"]>;

export class FindPanel implements Panel {
  readonly dom: HTMLElement;
  readonly top = true;
  readonly #view: EditorView;
  readonly #options: FindOptions;
  readonly #find = field("Find", true);
  readonly #replace = field("Replace with", false);
  readonly #case = switchButton("Aa", "Match case", () => { this.#commit(); });
  readonly #word = switchButton("W", "Whole words", () => { this.#commit(); });
  readonly #regexp = switchButton(".*", "Regular expression", () => { this.#commit(); });
  readonly #count = document.createElement("span");
  #query: SearchQuery;
  #places: readonly Found[] = [];

  constructor(view: EditorView, options: FindOptions) {
    this.#view = view;
    this.#options = options;
    this.#query = getSearchQuery(view.state);
    this.dom = document.createElement("div");
    this.dom.className = "find-bar";
    this.dom.setAttribute("role", "search");
    this.dom.setAttribute("aria-label", "Find in the document");
    this.dom.append(this.#findRow(), ...(view.state.readOnly ? [] : [this.#replaceRow()]), this.#closer());
    this.dom.addEventListener("keydown", (event) => { this.#press(event); });
    for (const input of [this.#find, this.#replace]) input.addEventListener("input", () => { this.#commit(); });
    this.#take(this.#query);
  }

  mount(): void {
    this.#find.select();
  }

  update(update: ViewUpdate): void {
    let asked = false;
    for (const transaction of update.transactions) {
      for (const effect of transaction.effects) {
        if (!effect.is(setSearchQuery) || effect.value.eq(this.#query)) continue;
        this.#take(effect.value);
        asked = true;
      }
    }
    if (asked) return;
    if (update.docChanged) this.#places = placesOf(this.#query, update.state);
    if (update.docChanged || update.selectionSet) this.#tell();
  }

  #findRow(): HTMLElement {
    this.#count.className = "find-count";
    this.#count.setAttribute("role", "status");
    return row(
      this.#find,
      this.#case,
      this.#word,
      this.#regexp,
      this.#act("up", "Previous match", "Shift+F3", findPrevious),
      this.#act("down", "Next match", "F3", findNext),
      this.#count,
    );
  }

  #replaceRow(): HTMLElement {
    return row(this.#replace, button("Replace", () => { this.#replaceOne(); }), button("Replace all", () => { this.#replaceEach(); }));
  }

  #closer(): HTMLElement {
    const closer = this.#act("close", "Close the find bar", "Escape", closeSearchPanel);
    closer.classList.add("find-close");
    return closer;
  }

  #act(icon: Icon, name: string, keys: string, command: Command): HTMLButtonElement {
    return iconButton(icon, name, keys, () => { command(this.#view); });
  }

  /** Replaces the chosen match; when none is chosen, the next one is chosen first. */
  #replaceOne(): void {
    this.#commit();
    replaceNext(this.#view);
  }

  #replaceEach(): void {
    this.#commit();
    this.#options.endStep();
    replaceAll(this.#view);
    this.#options.endStep();
  }

  #press(event: KeyboardEvent): void {
    if (event.key === "Enter" && event.target === this.#find) {
      this.#commit();
      (event.shiftKey ? findPrevious : findNext)(this.#view);
    } else if (event.key === "Enter" && event.target === this.#replace) {
      if (event.ctrlKey || event.metaKey) this.#replaceEach();
      else this.#replaceOne();
    } else if (!runScopeHandlers(this.#view, event, "search-panel")) return;
    event.preventDefault();
  }

  #commit(): void {
    const query = new SearchQuery({
      search: this.#find.value,
      replace: this.#replace.value,
      caseSensitive: isOn(this.#case),
      wholeWord: isOn(this.#word),
      regexp: isOn(this.#regexp),
      literal: !isOn(this.#regexp),
      ...(this.#options.counts ? { test: this.#options.counts } : {}),
    });
    if (!query.eq(this.#query)) this.#view.dispatch({ effects: setSearchQuery.of(query) });
  }

  #take(query: SearchQuery): void {
    this.#query = query;
    if (this.#find.value !== query.search) this.#find.value = query.search;
    if (this.#replace.value !== query.replace) this.#replace.value = query.replace;
    for (const [control, on] of [[this.#case, query.caseSensitive], [this.#word, query.wholeWord], [this.#regexp, query.regexp]] as const) {
      control.setAttribute("aria-pressed", String(on));
    }
    this.#places = placesOf(query, this.#view.state);
    this.#tell();
  }

  #tell(): void {
    const { main } = this.#view.state.selection;
    const words = tallyText(this.#query, tallyOf(this.#places, main));
    if (this.#count.textContent !== words) this.#count.textContent = words;
    this.#find.setAttribute("aria-invalid", String(this.#query.search !== "" && !this.#query.valid));
  }
}

function isOn(control: HTMLElement): boolean {
  return control.getAttribute("aria-pressed") === "true";
}
