/** The part of the server in memory that knows chat folders. */
import type { ChatGroup, GroupChange } from "../api";
import type { FakeChats } from "./fake-chats";
import type { Asked } from "./fake-models";

export class FakeGroups {
  items: ChatGroup[] = [];
  readonly heard: { what: string; body: unknown }[] = [];
  readonly #chats: FakeChats;
  #made = 0;

  constructor(chats: FakeChats) {
    this.#chats = chats;
  }

  /** The answer to a request, or null when it is about something else. */
  answer(asked: Asked): Response | null {
    const found = /^\/projects\/[^/]+\/chat-groups(?:\/([^/]+))?$/.exec(asked.path);
    if (!found) return null;
    const { method, path, body } = asked;
    if (method !== "GET") this.heard.push({ what: `${method} ${path}`, body });
    if (found[1] === "reorder") return this.#reorder((body as { ids: string[] }).ids);
    if (found[1] !== undefined) return this.#one(found[1], asked);
    return method === "GET" ? this.#list() : Response.json(this.add(this.#newId(), body as GroupChange), { status: 201 });
  }

  add(id: string, given: Partial<ChatGroup> = {}): ChatGroup {
    const last = Math.max(-1, ...this.items.map(({ position }) => position));
    const made: ChatGroup = {
      id, projectId: "p1", name: id, color: "#3b82f6", parentId: null, position: last + 1, defaultContextIds: [], defaultSkillIds: [], createdAt: 0, version: 1, ...given,
    };
    this.items.push(made);
    return made;
  }

  /** Changes a folder as another tab would. */
  change(id: string, given: Partial<ChatGroup>): void {
    this.items = this.items.map((one) => (one.id === id ? { ...one, ...given, version: one.version + 1 } : one));
  }

  #newId(): string {
    this.#made += 1;
    return `made${String(this.#made)}`;
  }

  #list(): Response {
    return Response.json({ items: this.items, nextCursor: null });
  }

  #reorder(ids: string[]): Response {
    const named = this.items.filter(({ id }) => ids.includes(id));
    if (named.length < ids.length) return problem(409, "One of these folders is not there any more.");
    const places = named.map(({ position }) => position).sort((one, other) => one - other);
    for (const [index, id] of ids.entries()) this.change(id, { position: places[index] ?? 0 });
    return this.#list();
  }

  #one(id: string, { method, headers, body }: Asked): Response {
    const known = this.items.find((one) => one.id === id);
    if (!known) return problem(404, "There is no such folder.");
    if (method === "DELETE") return this.#remove(known);
    if (headers.get("If-Match") !== `"${String(known.version)}"`) return problem(412, "The folder has changed.");
    this.change(id, body as GroupChange);
    return Response.json(this.items.find((one) => one.id === id));
  }

  #remove({ id, parentId }: ChatGroup): Response {
    this.items = this.items.filter((one) => one.id !== id);
    for (const child of this.items) if (child.parentId === id) this.change(child.id, { parentId });
    for (const { chat } of this.#chats.views.values()) if (chat.groupId === id) this.#chats.change(chat.id, { groupId: null });
    return new Response(null, { status: 204 });
  }
}

function problem(status: number, detail: string): Response {
  return Response.json({ type: "about:blank", title: detail, status, detail }, { status });
}
