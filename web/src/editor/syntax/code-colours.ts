/**
 * Colours the code inside prose, as far as it is on the screen. To have the prose's parser read the code too would cost a
 * walk over the whole document with every key.
 */
import { type Language, LanguageDescription, syntaxTree } from "@codemirror/language";
import { type Extension, type Range, StateEffect } from "@codemirror/state";
import { Decoration, type DecorationSet, type EditorView, type PluginValue, ViewPlugin, type ViewUpdate } from "@codemirror/view";
import type { SyntaxNode } from "@lezer/common";
import { highlightTree } from "@lezer/highlight";
import { highlight } from "../look";

/** Above this many characters, code stays plain: all of it is read again with every key in it. */
const PLAIN_ABOVE = 20_000;

interface Colour {
  from: number;
  to: number;
  mark: Decoration;
}

/** A language has come: what waits for it can be coloured. */
const languageLoaded = StateEffect.define();

class CodeColours implements PluginValue {
  decorations: DecorationSet;
  readonly #languages: readonly LanguageDescription[];
  readonly #loading = new Set<LanguageDescription>();
  /** The colours of the code on the screen, by what it is. */
  #known = new Map<string, readonly Colour[]>();

  constructor(view: EditorView, languages: readonly LanguageDescription[]) {
    this.#languages = languages;
    this.decorations = this.#draw(view);
  }

  update(update: ViewUpdate): void {
    const loaded = update.transactions.some((one) => one.effects.some((effect) => effect.is(languageLoaded)));
    const parsed = syntaxTree(update.state) !== syntaxTree(update.startState);
    if (loaded || parsed || update.docChanged || update.viewportChanged) this.decorations = this.#draw(update.view);
  }

  #draw(view: EditorView): DecorationSet {
    const marks: Range<Decoration>[] = [];
    const seen = new Map<string, readonly Colour[]>();
    const done = new Set<number>();
    for (const { from, to } of view.visibleRanges) {
      syntaxTree(view.state).iterate({
        from,
        to,
        enter: ({ name, node }) => {
          if (name !== "FencedCode") return name !== "Paragraph";
          if (!done.has(node.from)) marks.push(...this.#colour(view, node, seen));
          done.add(node.from);
          return false;
        },
      });
    }
    this.#known = seen;
    return Decoration.set(marks, true);
  }

  #colour(view: EditorView, node: SyntaxNode, seen: Map<string, readonly Colour[]>): Range<Decoration>[] {
    const info = node.getChild("CodeInfo");
    const { doc } = view.state;
    const language = info && this.#language(view, doc.sliceString(info.from, info.to));
    if (!language || node.to - node.from > PLAIN_ABOVE) return [];
    const pieces = node.getChildren("CodeText").map(({ from, to }) => ({ from, text: doc.sliceString(from, to) }));
    const code = pieces.map(({ text }) => text).join("");
    const key = `${language.name} ${code}`;
    const colours = this.#known.get(key) ?? coloursOf(language, code);
    seen.set(key, colours);
    return placed(colours, pieces);
  }

  /** The language of some code; null while it is not there, or is none. */
  #language(view: EditorView, info: string): Language | null {
    const [name = ""] = /^\S*/.exec(info) ?? [];
    const found = LanguageDescription.matchLanguageName(this.#languages, name, true);
    if (!found || found.support || this.#loading.has(found)) return found?.support?.language ?? null;
    this.#loading.add(found);
    found.load().then(
      () => {
        if (view.dom.isConnected) view.dispatch({ effects: languageLoaded.of(null) });
      },
      (error: unknown) => {
        // Without its language the code is still shown, plain.
        console.warn(`The colours for ${found.name} could not be loaded.`, error);
      },
    );
    return null;
  }
}

function coloursOf(language: Language, code: string): readonly Colour[] {
  const colours: Colour[] = [];
  highlightTree(language.parser.parse(code), highlight, (from, to, name) => {
    colours.push({ from, to, mark: Decoration.mark({ class: name }) });
  });
  return colours;
}

/** Colours of a code at its places in the document: in a quote or a list it stands there in pieces. */
function placed(colours: readonly Colour[], pieces: readonly { from: number; text: string }[]): Range<Decoration>[] {
  const marks: Range<Decoration>[] = [];
  let start = 0;
  let next = 0;
  for (const { from: place, text } of pieces) {
    const end = start + text.length;
    while (next > 0 && (colours[next - 1]?.to ?? 0) > start) next -= 1;
    for (let colour = colours[next]; colour && colour.from < end; next += 1, colour = colours[next]) {
      const from = Math.max(start, colour.from);
      const to = Math.min(end, colour.to);
      if (to > from) marks.push(colour.mark.range(place + from - start, place + to - start));
    }
    start = end;
  }
  return marks;
}

/** Colours code in prose, in the languages that are known by name. */
export function codeColours(languages: readonly LanguageDescription[]): Extension {
  return ViewPlugin.define((view) => new CodeColours(view, languages), { decorations: (plugin) => plugin.decorations });
}
