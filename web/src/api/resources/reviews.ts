/** Edits of an AI that wait for review, as typed calls. */
import type { components } from "../generated";
import type { Wire } from "../wire";

type Schemas = components["schemas"];
/** All that waits in one file. */
export type Review = Schemas["Review"];
export type ReviewKind = Review["kind"];
export type ReviewEdit = Schemas["ReviewEdit"];
export type Verdict = "accept" | "reject";

export class ReviewsClient {
  readonly #wire: Wire;

  constructor(wire: Wire) {
    this.#wire = wire;
  }

  async list(projectId: string): Promise<Review[]> {
    return items(await this.#wire.json<Schemas["ReviewList"]>(`/projects/${part(projectId)}/reviews`));
  }

  /** Decides some hunks of a review, or all of it. Null: nothing of it is left. */
  async decide(id: string, verdict: Verdict, hunks: readonly string[] | null): Promise<Review | null> {
    const body = hunks === null ? {} : { hunks };
    const { review } = await this.#wire.json<Schemas["ReviewLeft"]>(`/reviews/${part(id)}/${verdict}`, { method: "POST", body });
    return review;
  }

  /** Decides all that one turn wrote; the answer is what is left in its project. */
  async decideTurn(turnId: string, verdict: Verdict): Promise<Review[]> {
    return items(await this.#wire.json<Schemas["ReviewList"]>(`/turns/${part(turnId)}/${verdict}`, { method: "POST" }));
  }

  async decideAll(projectId: string, verdict: Verdict): Promise<Review[]> {
    return items(await this.#wire.json<Schemas["ReviewList"]>(`/projects/${part(projectId)}/reviews/${verdict}`, { method: "POST" }));
  }
}

function items(page: Schemas["ReviewList"]): Review[] {
  return page.items;
}

function part(text: string): string {
  return encodeURIComponent(text);
}
