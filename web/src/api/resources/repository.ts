/** The git repository of a project's folder, as typed calls: what changed, staging, commits, who wrote a line. */
import type { components } from "../generated";
import type { Wire } from "../wire";

type Schemas = components["schemas"];
export type GitChanges = Schemas["GitChanges"];
export type ChangedFile = Schemas["ChangedFile"];
export type FileDifference = Schemas["FileDifference"];
export type DiffHunk = Schemas["DiffHunk"];
export type LineOrigin = Schemas["LineOrigin"];
export type FileCommit = Schemas["FileCommit"];

export class RepositoryClient {
  readonly #wire: Wire;

  constructor(wire: Wire) {
    this.#wire = wire;
  }

  changes(projectId: string): Promise<GitChanges> {
    return this.#wire.json(`${root(projectId)}/changes`);
  }

  diff(projectId: string, path: string, staged: boolean): Promise<FileDifference> {
    return this.#wire.json(`${root(projectId)}/diff`, { query: { path, staged } });
  }

  /** Stages files, or some hunks of one. */
  async stage(projectId: string, paths: readonly string[], hunks: readonly string[] | null): Promise<void> {
    await this.#wire.send(`${root(projectId)}/stage`, { method: "POST", body: { paths, hunks } });
  }

  /** Takes files, or some hunks of one, out of what is staged. */
  async unstage(projectId: string, paths: readonly string[], hunks: readonly string[] | null): Promise<void> {
    await this.#wire.send(`${root(projectId)}/unstage`, { method: "POST", body: { paths, hunks } });
  }

  async commit(projectId: string, message: string): Promise<string> {
    return (await this.#wire.json<Schemas["Commit"]>(`${root(projectId)}/commits`, { method: "POST", body: { message } })).id;
  }

  async blame(projectId: string, path: string, line: number): Promise<LineOrigin | null> {
    return (await this.#wire.json<Schemas["LineOriginAnswer"]>(`${root(projectId)}/blame`, { query: { path, line } })).origin;
  }

  async history(projectId: string, path: string): Promise<FileCommit[]> {
    return (await this.#wire.json<Schemas["FileCommits"]>(`${root(projectId)}/history`, { query: { path } })).items;
  }

  /** Makes a file's text what the file, as it was called then, was in a commit. */
  async restore(projectId: string, commit: string, oldPath: string, path: string): Promise<void> {
    await this.#wire.send(`${root(projectId)}/history/${encodeURIComponent(commit)}/restore`, { method: "POST", body: { path, oldPath } });
  }

  /** A file's text in a commit; null when it was not in it. */
  async textAt(projectId: string, commit: string, path: string): Promise<string | null> {
    return (await this.#wire.json<Schemas["CommittedText"]>(`${root(projectId)}/history/${encodeURIComponent(commit)}`, { query: { path } })).text;
  }
}

function root(projectId: string): string {
  return `/projects/${encodeURIComponent(projectId)}/git`;
}
