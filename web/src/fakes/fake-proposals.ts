/** The part of the server in memory that knows what models have proposed. */
import type { Proposal } from "../api";
import type { Asked } from "./fake-models";

export class FakeProposals {
  items: Proposal[] = [];
  /** Every decision with its body. */
  readonly heard: { what: string; body: unknown }[] = [];
  /** Set when the text has changed: nothing can be applied. */
  isStale = false;

  /** The answer to a request, or null when it is about something else. */
  answer({ method, path, query, body }: Asked): Response | null {
    if (!/^\/proposals(\/|$)/.test(path)) return null;
    if (method === "GET") return Response.json({ items: this.items.filter((one) => one.chatId === query.get("chatId")) });
    this.heard.push({ what: path, body });
    const [, , id = "", deed = ""] = path.split("/");
    return this.#decide(id, deed, body);
  }

  #decide(id: string, deed: string, body: unknown): Response {
    if (deed === "apply" && this.isStale) {
      const detail = "The text has changed since.";
      return Response.json({ type: "about:blank", title: detail, status: 409, detail }, { status: 409 });
    }
    const changes: Record<string, Partial<Proposal>> = {
      apply: { status: "applied", chosen: (body as { option: number } | null)?.option ?? 0, editId: "e1", decidedAt: Date.now() },
      dismiss: { status: "dismissed", decidedAt: Date.now() },
      reopen: { status: "open", decidedAt: null },
    };
    this.items = this.items.map((one) => (one.id === id ? { ...one, ...changes[deed] } : one));
    return Response.json(this.items.find((one) => one.id === id));
  }
}

export function proposal(id: string, given: Partial<Proposal> = {}): Proposal {
  return {
    id, projectId: "p1", chatId: "c1", turnId: "t1", callId: "k", threadId: null, question: "",
    options: [{ title: "", detail: "", path: "README.md", old: "ninety days", new: "369 days" }],
    status: "open", chosen: null, editId: null, confidence: 0.74, confidenceSource: "heuristic", model: "builtin/small", requestId: "req_1",
    createdAt: 0, decidedAt: null, ...given,
  };
}
