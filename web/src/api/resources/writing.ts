/** Who wrote a text, its versions, and the quick transforms of a passage, as typed calls. */
import type { components } from "../generated";
import { queryString, ROOT, type Wire } from "../wire";
import { pageTicket } from "../page-secret";

type Schemas = components["schemas"];

/** One hand in a text. What only an AI has is null for others. */
export type TextAuthor = Required<Schemas["Author"]>;
export type AuthorKind = TextAuthor["kind"];
export type AuthorSpan = Schemas["AuthorSpan"];
export type AuthorshipReport = Omit<Schemas["Authorship"], "authors"> & { authors: TextAuthor[] };
export type TextVersion = Schemas["Version"];
/** A stretch of own writing, as it was saved last. */
export type SavedVersion = Schemas["SavedVersion"];
export type VersionTexts = Schemas["VersionTexts"];
export type VersionSide = Schemas["Restore"]["side"];
export type Transform = Schemas["Transform"];

export class WritingClient {
  readonly #wire: Wire;

  constructor(wire: Wire) {
    this.#wire = wire;
  }

  authorship(projectId: string, path: string, signal?: AbortSignal): Promise<AuthorshipReport> {
    return this.#wire.json(`/projects/${part(projectId)}/authorship`, { query: { path }, signal });
  }

  versions(projectId: string, path: string): Promise<Schemas["VersionList"]> {
    return this.#wire.json(`/projects/${part(projectId)}/versions`, { query: { path } });
  }

  version(id: string): Promise<VersionTexts> {
    return this.#wire.json(`/versions/${part(id)}`);
  }

  /** Makes the text what it was on one side of an edit. */
  async restore(id: string, side: VersionSide): Promise<void> {
    await this.#wire.send(`/versions/${part(id)}/restore`, { method: "POST", body: { side } });
  }

  saved(id: string): Promise<VersionTexts> {
    return this.#wire.json(`/saves/${part(id)}`);
  }

  /** Makes the text what it was on one side of a stretch of own writing. */
  async restoreSaved(id: string, side: VersionSide): Promise<void> {
    await this.#wire.send(`/saves/${part(id)}/restore`, { method: "POST", body: { side } });
  }

  async transforms(): Promise<Transform[]> {
    const { items } = await this.#wire.json<Schemas["TransformList"]>("/transforms");
    return items;
  }
}

/** Where the statement about a text's authors can be downloaded. */
export function statementAddress(projectId: string, path: string): string {
  return `${ROOT}/projects/${part(projectId)}/authorship/statement${queryString({ path, ...pageTicket() })}`;
}

function part(text: string): string {
  return encodeURIComponent(text);
}
