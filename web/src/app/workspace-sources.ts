/** What the state of a workspace asks of the server and of the browser, where that is more than one call. */
import type { Client } from "../api";
import type { ChangesSource } from "../changes/state/changes.svelte";
import type { HistorySource } from "../file-history/state/history.svelte";
import type { ReplacingSource } from "../files/state/replacing.svelte";
import type { FolderMemory } from "../files/state/tree.svelte";
import { isTextList, recall, remember } from "../core/browser-storage";

const MOST_FOLDERS = 500;

export function changesSource({ repository }: Client, id: string, changed: () => void): ChangesSource {
  return {
    read: () => repository.changes(id),
    diff: (path, staged) => repository.diff(id, path, staged),
    stage: (paths, hunks) => repository.stage(id, paths, hunks),
    unstage: (paths, hunks) => repository.unstage(id, paths, hunks),
    commit: (message) => repository.commit(id, message),
    changed,
  };
}

export function replacingSource({ replacements }: Client, id: string): ReplacingSource {
  return {
    look: (options, signal) => replacements.look(id, options, signal),
    replace: (options, look, leftOut) => replacements.replace(id, options, look, leftOut),
    undo: (what) => replacements.undo(id, what),
  };
}

/** The versions of a file: the edits of AI, own saves, and its commits where the folder is in a repository. */
export function historySource({ repository, writing }: Client, id: string, path: string, isRepository: boolean): HistorySource {
  return {
    edits: (of) => writing.versions(id, of),
    commits: (of) => (isRepository ? repository.history(id, of) : Promise.resolve([])),
    read: async (version) => {
      if (version.of === "edit") return writing.version(version.id);
      if (version.of === "save") return writing.saved(version.id);
      return { before: null, after: await repository.textAt(id, version.commit, version.path) };
    },
    restore: (version, side) => {
      if (version.of === "edit") return writing.restore(version.id, side);
      if (version.of === "save") return writing.restoreSaved(version.id, side);
      return repository.restore(id, version.commit, version.path, path);
    },
  };
}

/** The open folders of a project, by each tab of the browser. */
export function openFolders(projectId: string): FolderMemory {
  const key = `folders.${projectId}`;
  return {
    open: () => recall(key, isTextList, "tab-first") ?? [],
    note: (paths) => { remember(key, paths.slice(0, MOST_FOLDERS), "tab-first"); },
  };
}
