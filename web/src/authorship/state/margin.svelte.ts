/** What stands beside one shown text: the selection that rests in it, and its authors. */
import { type Authorship, TextAuthors } from "./authorship.svelte";

/** A selection that rests, as the editor tells it. */
export interface RestingSelection {
  from: number;
  to: number;
  hasFocus: boolean;
  top: number;
  bottom: number;
  left: number;
  view: { top: number; bottom: number; width: number };
}

export class Margin {
  selection = $state.raw<RestingSelection | null>(null);
  readonly authors: TextAuthors;

  constructor(authorship: Authorship) {
    this.authors = new TextAuthors(authorship);
  }

  readonly onSelection = (selection: RestingSelection | null): void => {
    this.selection = selection;
  };

  readonly onAuthor = (look: TextAuthors["here"]): void => {
    this.authors.here = look;
  };

  readonly onText = (): void => {
    this.authors.changed();
  };
}
