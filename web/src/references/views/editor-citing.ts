/** What the editor asks of the library. */
import type { App } from "../../app/app.svelte";
import type { Workspace } from "../../app/workspace.svelte";
import { problemOf } from "../../api";
import type { CitingAround } from "../../editor";
import { quotationText } from "../labels";

const MOST = 12;

export function citingAround(app: App, { references }: Workspace): CitingAround {
  return {
    print: async (path, head, citations, signal) => {
      try {
        return await references.print(path, head, citations, signal);
      } catch (error) {
        if (!signal.aborted) references.onUnprinted(path, problemOf(error).detail);
        throw error;
      }
    },
    find: (path, query, signal) => references.find(query, path, MOST, signal),
    papers: (query, signal) => references.papers(query, signal),
    addPaper: async (doi) => {
      try {
        return (await references.add(doi)).key;
      } catch (error) {
        app.toasts.show(problemOf(error).detail);
        return null;
      }
    },
    quotations: async (path, text, signal) => (await references.quotations(path, text, signal)).map((found) => ({ ...found, title: quotationText(found) })),
    open: (key) => { app.background(references.open(key)); },
    openPdf: (path) => { app.openFile(path, true); },
    add: (key) => {
      references.wantedKey = key;
      app.showDialog("add-reference");
    },
    toldClaims: (path, count) => { references.onClaims(path, count); },
    told: (path, count, unknown) => { references.onCited(path, count, unknown); },
  };
}
