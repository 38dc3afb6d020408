/** What the folder tells the AI, and what the person says to that, as typed calls. */
import type { components } from "../generated";
import type { Wire } from "../wire";

type Schemas = components["schemas"];
/** A text of the folder that wants to tell the AI what to do. */
export type Instruction = Schemas["Instruction"];
export type Consent = Schemas["InstructionConsent"]["consent"];

export class InstructionsClient {
  readonly #wire: Wire;

  constructor(wire: Wire) {
    this.#wire = wire;
  }

  async list(projectId: string): Promise<Instruction[]> {
    const { items } = await this.#wire.json<Schemas["InstructionList"]>(root(projectId));
    return items;
  }

  /** Says whether a text is followed; fails with 409 when it reads otherwise than what was shown. */
  async answer(projectId: string, { path, hash }: Instruction, consent: Consent): Promise<Instruction[]> {
    const { items } = await this.#wire.json<Schemas["InstructionList"]>(root(projectId), { method: "PUT", body: { path, hash, consent } });
    return items;
  }
}

function root(projectId: string): string {
  return `/projects/${encodeURIComponent(projectId)}/instructions`;
}
