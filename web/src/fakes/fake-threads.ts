/** The part of the server in memory that knows threads and comments. */
import type { NewPassage, Thread, ThreadChange } from "../api";
import type { Asked } from "./fake-models";

export class FakeThreads {
  items: Thread[] = [];
  readonly heard: { what: string; body: unknown }[] = [];

  /** The answer to a request, or null when it is about something else. */
  answer(asked: Asked): Response | null {
    const found = /^\/projects\/[^/]+\/threads(?:\/([^/]+))?(?:\/(messages))?$/.exec(asked.path);
    if (!found) return null;
    const [, id = "", part = ""] = found;
    const { method, path, body } = asked;
    if (method !== "GET") this.heard.push({ what: `${method} ${path}`, body });
    if (part === "messages" || id === "send") return Response.json({ chatId: this.#chatOf(id, body), turnId: "t1", state: "running" }, { status: 202 });
    if (id !== "") return this.#one(id, asked);
    return method === "GET" ? Response.json({ items: this.items, nextCursor: null }) : Response.json(this.#add(body as Made), { status: 201 });
  }

  #one(id: string, { method, headers, body }: Asked): Response {
    const known = this.items.find((one) => one.id === id);
    if (!known) return problem(404, "There is no such thread.");
    if (method === "DELETE") {
      this.items = this.items.filter((one) => one !== known);
      return new Response(null, { status: 204 });
    }
    if (method === "GET") return Response.json(known);
    if (headers.get("If-Match") !== `"${String(known.version)}"`) return problem(412, "The thread has changed.");
    const { body: words, resolved } = body as ThreadChange;
    const saved: Thread = { ...known, body: words ?? known.body, status: resolved ? "resolved" : "idle", version: known.version + 1 };
    this.items = this.items.map((one) => (one === known ? saved : one));
    return Response.json(saved);
  }

  #add({ passage, body = "", text }: Made): Thread {
    const id = `n${String(this.items.length + 1)}`;
    const inText = passage.kind === "text";
    const made = thread(id, {
      path: inText ? passage.path : null,
      text: inText ? "the passage" : passage.text,
      answer: inText ? null : { chatId: passage.chatId, entryId: passage.entryId, occurrence: passage.occurrence },
      body,
      ...(text === undefined ? {} : { chatId: `c-${id}`, status: "streaming", messages: 1 }),
    });
    this.items = [...this.items, made];
    return made;
  }

  /** A comment that is replied to gets a conversation; several that are sent share one. */
  #chatOf(id: string, body: unknown): string {
    const ids = id === "send" ? (body as { ids: string[] }).ids : [];
    const chatId = id === "send" ? ((body as { chatId: string | null }).chatId ?? "c-sent") : `c-${id}`;
    this.items = this.items.map((one) => {
      if (one.id === id) return { ...one, chatId, status: "streaming", messages: one.messages + 1 };
      return ids.includes(one.id) ? { ...one, sent: { chatId, turnId: "t1" } } : one;
    });
    return chatId;
  }
}

interface Made {
  passage: NewPassage;
  body?: string;
  text?: string;
}

export function thread(id: string, given: Partial<Thread> = {}): Thread {
  return {
    id, projectId: "p1", path: "a.md", text: "the passage", line: 1, isDetached: false, place: null, answer: null, body: "", author: "person", status: "idle",
    chatId: null, messages: 0, sent: null, reply: null, hasAppliedEdit: false, createdAt: 0, updatedAt: 0, version: 1, ...given,
  };
}

function problem(status: number, detail: string): Response {
  return Response.json({ type: "about:blank", title: detail, status, detail }, { status });
}
