/** The part of the server in memory that knows what waits for review. */
import type { Review, ReviewEdit } from "../api";
import type { Asked } from "./fake-models";

export class FakeReviews {
  items: Review[] = [];
  readonly heard: { what: string; body: unknown }[] = [];
  /** Set to answer the next decision with a conflict. */
  isStale = false;

  /** The answer to a request, or null when it is about something else. */
  answer({ method, path, body }: Asked): Response | null {
    if (!/^\/projects\/[^/]+\/reviews|^\/reviews\/|^\/turns\/[^/]+\/(accept|reject)$/.test(path)) return null;
    if (method === "GET") return Response.json({ items: this.items });
    this.heard.push({ what: `${method} ${path}`, body });
    if (this.isStale) {
      this.isStale = false;
      return Response.json({ type: "about:blank", title: "Conflict", status: 409, detail: "The text changed. Look at the edit again." }, { status: 409 });
    }
    const [, room = "", id = ""] = path.split("/");
    if (room === "reviews") return this.#decide(id);
    this.items = room === "turns" ? this.items.filter((review) => !review.edits.some((edit) => edit.turnId === id)) : [];
    return Response.json({ items: this.items });
  }

  #decide(id: string): Response {
    this.items = this.items.filter((review) => review.id !== id);
    return Response.json({ review: null });
  }
}

export function review(path: string, given: Partial<Review> = {}): Review {
  const id = `r-${path}`;
  return { id, path, kind: "edited", fromPath: null, unit: "word", added: 3, removed: 2, hunkCount: 2, edits: [reviewEdit(id)], ...given };
}

export function reviewEdit(id: string, given: Partial<ReviewEdit> = {}): ReviewEdit {
  return { id, chatId: "c1", turnId: "t1", callId: "k1", tool: "edit_file", model: "anthropic/sonnet-5", promptHash: "9f3a", at: 0, ...given };
}
