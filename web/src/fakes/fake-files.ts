/** The part of the server in memory that makes, moves, duplicates, deletes and restores files. */
import type { DeletedFile } from "../api";
import type { Asked } from "./fake-models";

const NO_LINKS = { texts: [], leftAlone: [], truncated: false };

export class FakeFiles {
  readonly #files: Map<string, string>;
  readonly #trash = new Map<string, { item: DeletedFile; files: [string, string][] }>();
  #made = 0;

  constructor(files: Map<string, string>) {
    this.#files = files;
  }

  /** The answer to a request, or null when it is about something else. */
  answer(asked: Asked): Response | null {
    if (asked.path.endsWith("/links/move")) return Response.json(NO_LINKS);
    if (asked.path.endsWith("/links")) return Response.json({ backlinks: [], unresolved: [], tags: [], truncated: false });
    const found = /^\/projects\/[^/]+\/(files|trash)(?:\/([^/]+))?(?:\/restore)?$/.exec(asked.path);
    if (!found) return null;
    const body = (asked.body ?? {}) as { path: string; newPath: string; text?: string; kind?: string };
    const [, what, id] = found;
    if (what === "files") return id === "move" ? this.#move(body) : id === "duplicate" ? this.#duplicate(body.path) : this.#create(body);
    if (asked.method === "GET") return Response.json({ items: [...this.#trash.values()].map(({ item }) => item), nextCursor: null });
    if (asked.method === "DELETE") return this.#empty();
    return id === undefined ? this.#remove(body.path) : this.#restore(id);
  }

  #create({ path, text = "", kind }: { path: string; text?: string; kind?: string }): Response {
    if (this.#below(path).length > 0) return taken(path);
    // A folder of a map of files shows by something in it.
    this.#files.set(kind === "folder" ? `${path}/.keep` : path, text);
    return Response.json({ path }, { status: 201 });
  }

  #move({ path, newPath }: { path: string; newPath: string }): Response {
    if (this.#below(newPath).length > 0) return taken(newPath);
    for (const [one, text] of this.#below(path)) {
      this.#files.delete(one);
      this.#files.set(newPath + one.slice(path.length), text);
    }
    return Response.json({ path: newPath, links: NO_LINKS });
  }

  #duplicate(path: string): Response {
    const copy = path.replace(/(\.[^.]*)?$/, " copy$1");
    for (const [one, text] of this.#below(path)) this.#files.set(copy + one.slice(path.length), text);
    return Response.json({ path: copy }, { status: 201 });
  }

  #remove(path: string): Response {
    const files = this.#below(path);
    for (const [one] of files) this.#files.delete(one);
    this.#made += 1;
    const item: DeletedFile = { id: `d${String(this.#made)}`, path, kind: "file", size: 1, deletedAt: 0 };
    this.#trash.set(item.id, { item, files });
    return Response.json(item, { status: 201 });
  }

  #restore(id: string): Response {
    const kept = this.#trash.get(id);
    for (const [path, text] of kept?.files ?? []) this.#files.set(path, text);
    this.#trash.delete(id);
    return Response.json({ path: kept?.item.path ?? "" });
  }

  #empty(): Response {
    this.#trash.clear();
    return new Response(null, { status: 204 });
  }

  #below(path: string): [string, string][] {
    return [...this.#files].filter(([one]) => one === path || one.startsWith(`${path}/`));
  }
}

function taken(path: string): Response {
  return Response.json({ type: "about:blank", title: "Exists already", status: 409, detail: `"${path}" exists already.`, remedy: "Choose another name." }, { status: 409 });
}
