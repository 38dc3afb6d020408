/** What the editor asks of the library. */
import type { App } from "../../app/app.svelte";
import type { Workspace } from "../../app/workspace.svelte";
import type { CitingAround } from "../../editor";

const MOST = 12;

export function citingAround(app: App, { references }: Workspace): CitingAround {
  return {
    print: (path, head, citations, signal) => references.print(path, head, citations, signal),
    find: (path, query, signal) => references.find(query, path, MOST, signal),
    open: (key) => { app.background(references.open(key)); },
    openPdf: (path) => { app.openFile(path, true); },
    add: (key) => {
      references.wantedKey = key;
      app.showDialog("add-reference");
    },
    told: (path, count, unknown) => { references.onCited(path, count, unknown); },
  };
}
