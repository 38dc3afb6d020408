/** What people do with files, as typed calls: make, move, duplicate, delete, bring back. */
import type { components } from "../generated";
import type { Wire } from "../wire";

type Schemas = components["schemas"];

export type DeletedFile = Schemas["DeletedFile"];
export type LinkChanges = Schemas["LinkChanges"];
/** For each text how a link is written now, and was before. */
export type Spellings = NonNullable<Schemas["FileMove"]["spellings"]>;
export type FileLinks = Schemas["FileLinks"];
export type Backlink = Schemas["Backlink"];
export type UnresolvedLink = Schemas["UnresolvedLink"];
export type TagCount = Schemas["TagCount"];
export type TaggedNotes = Schemas["TaggedNotes"];
export type NewFileKind = NonNullable<Schemas["NewFile"]["kind"]>;

export class FilesClient {
  readonly #wire: Wire;

  constructor(wire: Wire) {
    this.#wire = wire;
  }

  /** Makes a file or folder; fails with 409 when the name is taken. */
  async create(projectId: string, path: string, kind: NewFileKind, text = "", parents = false): Promise<void> {
    await this.#wire.send(`${root(projectId)}/files`, { method: "POST", body: { path, kind, text, parents } });
  }

  /** Keeps a picture for a note, where the settings say; answers its path. */
  async keepPicture(projectId: string, note: string, picture: File): Promise<string> {
    return (await this.#wire.json<Schemas["FilePlace"]>(`${root(projectId)}/attachments`, { method: "POST", data: picture, query: { note, name: picture.name } })).path;
  }

  /** Moves; with `links`, links follow, written as `spellings` say where these are right. Answers those that did. */
  async move(projectId: string, path: string, newPath: string, links = false, spellings: Spellings = {}): Promise<LinkChanges> {
    const moved = await this.#wire.json<Schemas["MovedFile"]>(`${root(projectId)}/files/move`, { method: "POST", body: { path, newPath, links, spellings } });
    return moved.links;
  }

  /** Which links would follow a move. */
  previewMove(projectId: string, path: string, newPath: string): Promise<LinkChanges> {
    return this.#wire.json(`${root(projectId)}/links/move`, { query: { path, newPath } });
  }

  /** What links to a file, and what it links to in vain. */
  links(projectId: string, path: string, signal?: AbortSignal): Promise<FileLinks> {
    return this.#wire.json(`${root(projectId)}/links`, { query: { path }, signal });
  }

  /** The file that a wiki link means in the text where it stands; null for none. */
  async note(projectId: string, name: string, origin: string): Promise<string | null> {
    return (await this.#wire.json<Schemas["NotePlace"]>(`${root(projectId)}/links/note`, { query: { name, origin } })).path;
  }

  /** The tags of the notes, the most used first. */
  async tags(projectId: string, signal?: AbortSignal): Promise<TagCount[]> {
    return (await this.#wire.json<Schemas["TagList"]>(`${root(projectId)}/tags`, { signal })).items;
  }

  /** The notes with a tag, or one below it. */
  tagged(projectId: string, tag: string, signal?: AbortSignal): Promise<TaggedNotes> {
    return this.#wire.json(`${root(projectId)}/tags/notes`, { query: { tag }, signal });
  }

  /** Copies a file or folder beside itself; answers the copy's path. */
  async duplicate(projectId: string, path: string): Promise<string> {
    const made = await this.#wire.json<Schemas["FilePlace"]>(`${root(projectId)}/files/duplicate`, { method: "POST", body: { path } });
    return made.path;
  }

  /** Puts something into the trash. */
  remove(projectId: string, path: string): Promise<DeletedFile> {
    return this.#wire.json(`${root(projectId)}/trash`, { method: "POST", body: { path } });
  }

  async deleted(projectId: string): Promise<DeletedFile[]> {
    return (await this.#wire.json<Schemas["DeletedFilePage"]>(`${root(projectId)}/trash`)).items;
  }

  /** Brings something back where it was; fails with 409 when something lies there. */
  async restore(projectId: string, id: string): Promise<void> {
    await this.#wire.send(`${root(projectId)}/trash/${encodeURIComponent(id)}/restore`, { method: "POST" });
  }

  async erase(projectId: string, id: string): Promise<void> {
    await this.#wire.send(`${root(projectId)}/trash/${encodeURIComponent(id)}`, { method: "DELETE" });
  }

  async emptyTrash(projectId: string): Promise<void> {
    await this.#wire.send(`${root(projectId)}/trash`, { method: "DELETE" });
  }
}

function root(projectId: string): string {
  return `/projects/${encodeURIComponent(projectId)}`;
}
