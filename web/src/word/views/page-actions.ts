/** What the rest of the page does with a Word document: the commands of texts, and what only documents have. */
import type { Verdict, WordCommentThread, WordFrame } from "../../api";
import type { App } from "../../app/app.svelte";
import type { Workspace } from "../../app/workspace.svelte";
import type { Format, Viewer } from "../../documents/state/viewer";
import type { WordViewer } from "../../word-page";
import type { loadWordPage } from "./load-word-page";
import type { WordDocument } from "../state/word-document.svelte";

interface Around {
  app: App;
  workspace: Workspace;
  word: WordDocument;
  viewer: WordViewer<WordFrame>;
  library: Awaited<ReturnType<typeof loadWordPage>>;
  find: (how: "find" | "replace") => void;
  /** Has what stands beside the selection put away. */
  dismiss: () => void;
  /** Shows the document as it is saved now. */
  reread: () => Promise<void>;
}

export interface PageActions {
  viewer: Viewer;
  settle: (verdict: Verdict, keys: readonly string[] | null) => Promise<void>;
  comment: (text: string) => Promise<void>;
  answer: (comment: string, text: string) => Promise<void>;
  resolve: (comment: string, isResolved: boolean) => Promise<void>;
  /** Asks the AI what to answer to a comment. */
  ask: (thread: WordCommentThread) => Promise<void>;
  takeOver: () => Promise<void>;
}

const AROUND = 400;

/** What the AI is asked about a comment, in words that stay in the chat. */
function questionAbout({ quoted, remarks }: WordCommentThread): string {
  const about = quoted === "" ? "a comment" : `the comment on “${quoted}”`;
  const said = remarks.map(({ author, text }) => `> ${author}: ${text.replaceAll("\n", "\n> ")}`);
  return [`What do we answer to ${about}? Say only the answer, in a few plain sentences, and change nothing in the document.`, "", ...said].join("\n");
}

export function pageActions({ app, workspace, word, viewer, library, find, dismiss, reread }: Around): PageActions {
  /** What is typed is saved first: the server changes the document it has. */
  async function after(what: () => Promise<void>): Promise<void> {
    await viewer.session.push();
    await what();
    await reread();
  }
  /** A document whose changes by the AI are all decided waits for no review any more. */
  async function settle(verdict: Verdict, keys: readonly string[] | null): Promise<void> {
    await after(() => word.settle(viewer.session.page.hash, verdict === "accept", keys));
    const review = workspace.reviews.of(word.path);
    if (review && word.byAi === 0 && word.refusal === null) await workspace.reviews.decideFile(review, "accept");
  }

  /** The key of the change before or behind the cursor; from the last on to the first. */
  function stepFrom(step: 1 | -1): string | null {
    const places = [...viewer.changePlaces()].sort(([, one], [, other]) => one - other);
    const { head } = viewer.view.state.selection;
    const now = viewer.change;
    const at = places.findIndex(([key]) => key === now);
    if (at >= 0) return places[(at + step + places.length) % places.length]?.[0] ?? null;
    const behind = places.findIndex(([, pos]) => pos >= head);
    const next = step === 1 ? (behind < 0 ? 0 : behind) : (behind < 0 ? places.length : behind) - 1;
    return places.at(next)?.[0] ?? null;
  }

  /** What gives a form; null for one that the document does not have. */
  function formOf(wanted: Format) {
    const heading = wanted === "paragraph" ? 0 : Number(/^heading-(\d)$/.exec(wanted)?.[1] ?? NaN);
    if (Number.isNaN(heading)) return library.FORMS[wanted] ?? null;
    const style = heading === 0 ? "" : word.frame?.styles.find(({ kind, level }) => kind === "paragraph" && level === heading)?.id;
    return style === undefined ? null : library.setParagraphs({ style, heading });
  }

  return {
    settle,
    comment: (text) => after(async () => {
      const passage = viewer.passage();
      if (passage) await word.comment(passage.paragraph, passage.start, passage.end, text);
    }),
    answer: (comment, text) => after(() => word.answer(comment, text)),
    resolve: (comment, isResolved) => after(() => word.resolve(comment, isResolved)),
    ask: async (thread) => { await workspace.agent.ask(word.path, { text: questionAbout(thread) }, () => null, thread.id); },
    takeOver: async () => {
      await word.takeOver();
      await viewer.session.push();
      await reread();
    },
    viewer: {
      get text() { return viewer.text; },
      openFind: () => { find("find"); },
      openReplace: () => { find("replace"); },
      findAgain: (step) => { viewer.findAgain(step); },
      suggest: () => { viewer.suggest(); },
      insert: () => { app.toasts.show("Citations go into Markdown texts. Publish one to get it as a Word document."); },
      overview: () => Promise.resolve(viewer.overview()),
      goTo: (line) => { viewer.goToLine(line); },
      focus: () => { viewer.focus(); },
      canFormat: (wanted) => viewer.isWriting && formOf(wanted) !== null,
      format: (wanted) => {
        const form = formOf(wanted);
        if (form) viewer.run(form);
      },
      passage: () => {
        const found = viewer.passage();
        if (!found) return null;
        return { path: word.path, before: found.base.slice(Math.max(0, found.start - AROUND), found.start), text: found.text, after: found.base.slice(found.end, found.end + AROUND) };
      },
      selected: () => {
        const found = viewer.place();
        if (!found) return null;
        const { paragraph, start, last, end } = found;
        return { path: word.path, passage: { paragraph, start, last, end } };
      },
      dismissSelection: dismiss,
      goToEdit: (step) => {
        const key = stepFrom(step);
        const pos = key === null ? undefined : viewer.changePlaces().get(key);
        if (pos !== undefined) viewer.goToPlace(pos);
      },
      decideHere: (verdict) => {
        const key = viewer.change;
        if (key !== null) app.background(settle(verdict, [key]));
      },
      threads: { selected: () => null, here: () => null, step: () => null },
    },
  };
}
