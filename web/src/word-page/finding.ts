/** Words found in a page, and marked where they are. */
import { Plugin, PluginKey, type EditorState } from "prosemirror-state";
import { Decoration, DecorationSet } from "prosemirror-view";
import { eachParagraph, placeIn } from "./paragraphs";
import { lettersOf } from "./schema";

export interface Match {
  from: number;
  to: number;
}

export interface Wanted {
  text: string;
  matchCase: boolean;
}

interface Found {
  wanted: Wanted | null;
  current: number;
  matches: readonly Match[];
}

const KEY = new PluginKey<Found>("finding");

export function findingPlugin(): Plugin<Found> {
  return new Plugin<Found>({
    key: KEY,
    state: {
      init: () => ({ wanted: null, current: -1, matches: [] }),
      apply(transaction, before, _old, state) {
        const told = transaction.getMeta(KEY) as Partial<Found> | undefined;
        if (!told && !transaction.docChanged) return before;
        const wanted = told?.wanted === undefined ? before.wanted : told.wanted;
        const matches = told?.wanted !== undefined || transaction.docChanged ? matchesIn(state, wanted) : before.matches;
        return { wanted, matches, current: Math.min(told?.current ?? before.current, matches.length - 1) };
      },
    },
    props: {
      decorations(state) {
        const found = KEY.getState(state);
        if (!found || found.matches.length === 0) return null;
        return DecorationSet.create(state.doc, found.matches.map(({ from, to }, at) => Decoration.inline(from, to, { class: at === found.current ? "word-found word-found-current" : "word-found" })));
      },
    },
  });
}

export function foundIn(state: EditorState): Found {
  return KEY.getState(state) ?? { wanted: null, current: -1, matches: [] };
}

export function tellFinding(state: EditorState, told: Partial<Found>) {
  return state.tr.setMeta(KEY, told).setMeta("addToHistory", false);
}

function matchesIn(state: EditorState, wanted: Wanted | null): Match[] {
  if (!wanted || wanted.text === "") return [];
  const folded = (text: string) => (wanted.matchCase ? text : text.toLowerCase());
  const words = folded(wanted.text);
  const found: Match[] = [];
  eachParagraph(state.doc, (node, pos) => {
    const text = folded(lettersOf(node));
    for (let at = text.indexOf(words); at >= 0; at = text.indexOf(words, at + words.length)) {
      found.push({ from: placeIn(node, pos, at), to: placeIn(node, pos, at + words.length) });
    }
  });
  return found;
}
