/** Contexts: named groups of files, as typed calls. */
import type { components } from "../generated";
import type { Wire } from "../wire";

type Schemas = components["schemas"];
/** A named group of files. Those that are missing are not sent. */
export type Context = Schemas["Context"];
export type ContextPage = Schemas["ContextPage"];
/** What a person decides about a context. A colour of null is the one that belongs to its name. */
export type ContextForm = Required<Schemas["NewContext"]>;

export class ContextsClient {
  readonly #wire: Wire;

  constructor(wire: Wire) {
    this.#wire = wire;
  }

  /** Their tokens are as this model counts them. */
  list(projectId: string, model: string | null, cursor?: string): Promise<ContextPage> {
    return this.#wire.json(root(projectId), { query: { cursor, model: model ?? undefined } });
  }

  create(projectId: string, form: ContextForm): Promise<Context> {
    return this.#wire.json(root(projectId), { method: "POST", body: form });
  }

  /** Saves a context; fails with 412 when somebody else changed it since it was read. */
  save({ projectId, id, version }: Context, form: ContextForm): Promise<Context> {
    return this.#wire.json(one(projectId, id), { method: "PUT", body: form, headers: { "If-Match": `"${String(version)}"` } });
  }

  async remove(projectId: string, id: string): Promise<void> {
    await this.#wire.send(one(projectId, id), { method: "DELETE" });
  }
}

function root(projectId: string): string {
  return `/projects/${encodeURIComponent(projectId)}/contexts`;
}

function one(projectId: string, id: string): string {
  return `${root(projectId)}/${encodeURIComponent(id)}`;
}
