/** Edits and choices that a model offers in a card, as typed calls. */
import type { components } from "../generated";
import type { Wire } from "../wire";

type Schemas = components["schemas"];
/** One thing to choose; with a path it is an edit of that file. */
export type ProposalOption = Schemas["ProposalOption"];
export type Proposal = Schemas["Proposal"];

export class ProposalsClient {
  readonly #wire: Wire;

  constructor(wire: Wire) {
    this.#wire = wire;
  }

  async ofChat(chatId: string): Promise<Proposal[]> {
    return (await this.#wire.json<{ items: Proposal[] }>("/proposals", { query: { chatId } })).items;
  }

  /** Takes an option; its edit then waits for review. Fails with 409 when the text has changed since. */
  apply(id: string, option: number): Promise<Proposal> {
    return this.#wire.json(path(id, "apply"), { method: "POST", body: { option } });
  }

  dismiss(id: string): Promise<Proposal> {
    return this.#wire.json(path(id, "dismiss"), { method: "POST" });
  }

  /** Takes a dismissal back. */
  reopen(id: string): Promise<Proposal> {
    return this.#wire.json(path(id, "reopen"), { method: "POST" });
  }
}

function path(id: string, deed: "apply" | "dismiss" | "reopen"): string {
  return `/proposals/${encodeURIComponent(id)}/${deed}`;
}
