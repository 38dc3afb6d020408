/** Wiki links and tags as they are typed: `[[` offers the folder's notes, `#` behind a name the note's headings, `#` before a word the tags. */
import type { Completion, CompletionContext, CompletionResult } from "@codemirror/autocomplete";
import { syntaxTree } from "@codemirror/language";
import type { Extension } from "@codemirror/state";
import type { EditorView } from "@codemirror/view";
import { completing, completionSource } from "../completing";

export interface NotesAround {
  /** Files whose name holds these words, the best first. */
  named: (query: string, signal: AbortSignal) => Promise<readonly string[]>;
  /** The headings of a note, by the name in a link; the text that links itself is the empty name. */
  headings: (from: string, name: string) => Promise<readonly string[]>;
  /** The tags of the folder's notes, the most used first. */
  tags: (signal: AbortSignal) => Promise<readonly { tag: string; count: number }[]>;
}

const TYPED = /!?\[\[([^[\]|#\n]*)(#[^[\]|\n]*)?$/u;
/* A sign alone at the beginning of a line may become a heading. */
const TAG_TYPED = /(?:^|[\s(,;"'])#([\p{L}\p{N}_/-]+)$/u;
const TAG_GOES_ON = /^[\p{L}\p{N}_/-]*$/u;
const NO_PROSE = /Code|Comment|URL|FrontMatter/;
const MOST_OFFERED = 20;

const nameOf = (path: string) => path.slice(path.lastIndexOf("/") + 1);
const folderOf = (path: string) => path.slice(0, Math.max(0, path.lastIndexOf("/")));
const noteName = (path: string) => nameOf(path).replace(/\.(?:md|markdown)$/i, "");

/** Puts the choice in and closes the link, unless it is closed already. */
function put(text: string) {
  return (view: EditorView, _completion: Completion, from: number, to: number) => {
    const isClosed = view.state.sliceDoc(to, to + 2) === "]]";
    const insert = isClosed ? text : `${text}]]`;
    view.dispatch({ changes: { from, to, insert }, selection: { anchor: from + text.length + 2 }, userEvent: "input.complete", scrollIntoView: true });
  };
}

/** What a link to a file says: its name, or its path where two have the same name. */
function offers(paths: readonly string[]): Completion[] {
  const count = new Map<string, number>();
  for (const path of paths) count.set(noteName(path), (count.get(noteName(path)) ?? 0) + 1);
  return paths.map((path) => {
    const isAlone = count.get(noteName(path)) === 1;
    return { label: noteName(path), detail: folderOf(path), type: "text", apply: put(isAlone ? noteName(path) : path.replace(/\.(?:md|markdown)$/i, "")) };
  });
}

function completingLinks(path: string, around: NotesAround) {
  return async (context: CompletionContext): Promise<CompletionResult | null> => {
    const typed = context.matchBefore(TYPED);
    const parts = typed && TYPED.exec(typed.text);
    if (!parts) return null;
    const [, name = "", heading] = parts;
    const running = new AbortController();
    context.addEventListener("abort", () => { running.abort(); });
    try {
      if (heading !== undefined) {
        const words = heading.slice(1).toLowerCase();
        const found = (await around.headings(path, name.trim())).filter((one) => one.toLowerCase().includes(words));
        return { from: context.pos - heading.length + 1, options: found.slice(0, MOST_OFFERED).map((label) => ({ label, type: "text", apply: put(label) })), filter: false };
      }
      const found = await around.named(name.trim(), running.signal);
      return { from: context.pos - name.length, options: offers(found.slice(0, MOST_OFFERED)), filter: false };
    } catch (error) {
      if (!running.signal.aborted) console.warn("Notes to link to could not be found.", error);
      return null;
    }
  };
}

function completingTags(around: NotesAround) {
  return async (context: CompletionContext): Promise<CompletionResult | null> => {
    const word = context.matchBefore(TAG_TYPED);
    const typed = TAG_TYPED.exec(word?.text ?? "")?.[1];
    if (typed === undefined || NO_PROSE.test(syntaxTree(context.state).resolveInner(context.pos, -1).name)) return null;
    const running = new AbortController();
    context.addEventListener("abort", () => { running.abort(); });
    try {
      const known = await around.tags(running.signal);
      // What is being typed is a tag already once it is saved: alone it is nothing to offer.
      const options = known.filter(({ tag }) => tag !== typed).map(({ tag, count }, at) => ({ label: tag, detail: String(count), type: "text", boost: -Math.min(at, 99) }));
      return { from: context.pos - typed.length, options, validFor: TAG_GOES_ON };
    } catch (error) {
      if (!running.signal.aborted) console.warn("Tags could not be found.", error);
      return null;
    }
  };
}

export function noteLinks(path: string, around: NotesAround): Extension {
  return [completionSource.of(completingLinks(path, around)), completionSource.of(completingTags(around)), completing];
}
