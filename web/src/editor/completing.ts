/** What is offered while somebody types: each part of the editor that can complete something brings its own source. */
import { autocompletion, type CompletionContext, completionKeymap, type CompletionResult, type CompletionSource } from "@codemirror/autocomplete";
import { type Extension, Facet, Prec } from "@codemirror/state";
import { keymap } from "@codemirror/view";

export const completionSource = Facet.define<CompletionSource>();

/** The first source that knows what is being typed. */
async function complete(context: CompletionContext): Promise<CompletionResult | null> {
  for (const source of context.state.facet(completionSource)) {
    const found = await source(context);
    if (found) return found;
  }
  return null;
}

export const completing: Extension = [
  autocompletion({ override: [complete], icons: false, activateOnTypingDelay: 60, defaultKeymap: false }),
  Prec.highest(keymap.of(completionKeymap)),
];
