/** Word documents as pages, as typed calls. */
import type { components } from "../generated";
import { queryString, ROOT, type Wire } from "../wire";
import { pageTicket } from "../page-secret";

type Schemas = components["schemas"];
export type WordPage = Schemas["WordPageView"];
export type WordFrame = Schemas["WordFrame"];
export type WordChange = Schemas["WordChange"];
export type WordCommentThread = Schemas["WordCommentThread"];
export type WordStyle = Schemas["WordStyle"];
export type WordSplice = Schemas["WordSplice"];
export type WordEdits = Schemas["WordEdits"];
export type WordConflict = Schemas["WordConflict"];

/** Another tab edits the document. */
export const EDITED_ELSEWHERE = "urn:recto:problem:edited-elsewhere";

export class WordClient {
  readonly #wire: Wire;

  constructor(wire: Wire) {
    this.#wire = wire;
  }

  /** A document's page; of one that is shown already, by its hash, only the blocks that are others. */
  page(projectId: string, path: string, tab: string, shown: string): Promise<WordPage> {
    return this.#wire.json(root(projectId), { query: { path, tab, shown } });
  }

  /** Changes a document; what is answered is saved. */
  edit(projectId: string, body: WordEdits): Promise<WordSplice> {
    return this.#wire.json(`${root(projectId)}/edits`, { method: "POST", body });
  }

  /** Accepts or rejects tracked changes by their places in the list, or all of them. */
  async settle(projectId: string, path: string, hash: string, accept: boolean, chosen: number[] | null): Promise<void> {
    await this.#wire.send(`/projects/${encodeURIComponent(projectId)}/tracked-changes/settle`, { method: "POST", body: { path, hash, accept, ...(chosen ? { chosen } : {}) } });
  }

  async comment(projectId: string, body: Schemas["NewWordComment"]): Promise<string> {
    return (await this.#wire.json<Schemas["WordCommentMade"]>(`${root(projectId)}/comments`, { method: "POST", body })).id;
  }

  async answer(projectId: string, path: string, comment: string, text: string): Promise<void> {
    await this.#wire.send(`${root(projectId)}/comments/answer`, { method: "POST", body: { path, comment, text } });
  }

  async resolve(projectId: string, path: string, comment: string, isResolved: boolean): Promise<void> {
    await this.#wire.send(`${root(projectId)}/comments/resolve`, { method: "POST", body: { path, comment, isResolved } });
  }

  /** Edits a document in this tab from now on, or lets others. */
  async take(projectId: string, path: string, tab: string, takes: boolean): Promise<void> {
    await this.#wire.send(`${root(projectId)}/tab`, { method: "POST", body: { path, tab, takes }, keepalive: !takes });
  }

  /** The draft that a document was published from, if it was. */
  async draft(projectId: string, path: string): Promise<string | null> {
    return (await this.#wire.json<Schemas["SentFrom"]>(`/projects/${encodeURIComponent(projectId)}/returned-drafts`, { query: { path } })).draft;
  }

  /** Writes a document as Markdown beside it, its pictures in a folder; tells where. */
  async copyAsMarkdown(projectId: string, path: string): Promise<string> {
    return (await this.#wire.json<Schemas["WordFile"]>(`${root(projectId)}/markdown`, { method: "POST", body: { path } })).path;
  }

  /** The text of a document of another word processor, as Markdown. */
  async foreign(projectId: string, path: string, signal?: AbortSignal): Promise<string> {
    return (await this.#wire.json<Schemas["ForeignText"]>(`${root(projectId)}/foreign`, { query: { path }, signal })).text;
  }
}

/** Where a picture in a document can be loaded. */
export function wordPictureAddress(projectId: string, path: string, part: string): string {
  return `${ROOT}${root(projectId)}/picture${queryString({ path, part, ...pageTicket() })}`;
}

function root(projectId: string): string {
  return `/projects/${encodeURIComponent(projectId)}/word`;
}
