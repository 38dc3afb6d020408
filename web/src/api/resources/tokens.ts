/** How many tokens files, contexts and skills take, as a typed call. */
import type { components } from "../generated";
import type { Wire } from "../wire";

type Schemas = components["schemas"];
export type ToCalculate = Schemas["TokenRequest"];
export type Calculated = Schemas["Tokens"];

export class TokensClient {
  readonly #wire: Wire;

  constructor(wire: Wire) {
    this.#wire = wire;
  }

  calculate(projectId: string, what: ToCalculate, signal?: AbortSignal): Promise<Calculated> {
    return this.#wire.json(`/projects/${encodeURIComponent(projectId)}/tokens/calculate`, { method: "POST", body: what, signal });
  }
}
