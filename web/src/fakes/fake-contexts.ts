/** The part of the server in memory that knows contexts. */
import type { Context, ContextForm } from "../api";
import type { Asked } from "./fake-models";

export class FakeContexts {
  items: Context[] = [];
  readonly heard: { what: string; body: unknown }[] = [];

  /** The answer to a request, or null when it is about something else. */
  answer(asked: Asked): Response | null {
    const found = /^\/projects\/[^/]+\/contexts(?:\/([^/]+))?$/.exec(asked.path);
    if (!found) return null;
    const { method, path, body } = asked;
    if (method !== "GET") this.heard.push({ what: `${method} ${path}`, body });
    if (found[1] !== undefined) return this.#one(found[1], asked);
    return method === "GET" ? Response.json({ items: this.items, nextCursor: null }) : Response.json(this.#add(body as ContextForm), { status: 201 });
  }

  #add(form: ContextForm): Context {
    const made = context(`x${String(this.items.length + 1)}`, { ...form, color: form.color ?? "#3b82f6" });
    this.items = [made, ...this.items];
    return made;
  }

  #one(id: string, { method, headers, body }: Asked): Response {
    const known = this.items.find((one) => one.id === id);
    if (!known) return problem(404, "There is no such context.");
    if (method === "DELETE") {
      this.items = this.items.filter((one) => one !== known);
      return new Response(null, { status: 204 });
    }
    if (method === "GET") return Response.json(known);
    if (headers.get("If-Match") !== `"${String(known.version)}"`) return problem(412, "The context has changed.");
    const form = body as ContextForm;
    const saved = { ...known, ...form, color: form.color ?? known.color, version: known.version + 1 };
    this.items = this.items.map((one) => (one === known ? saved : one));
    return Response.json(saved);
  }
}

export function context(id: string, given: Partial<Context> = {}): Context {
  return {
    id, projectId: "p1", name: id, files: [], color: "#3b82f6", tokenCount: 100, tokenCountUpdatedAt: 0, missingFiles: [], createdAt: 0, lastUsedAt: null, version: 1, ...given,
  };
}

function problem(status: number, detail: string): Response {
  return Response.json({ type: "about:blank", title: detail, status, detail, remedy: "Look at it as it is now." }, { status });
}
