/** Skills: prompts that switch on, built in, the person's own, or found in the folder. */
import type { components } from "../generated";
import type { Wire } from "../wire";

type Schemas = components["schemas"];
export type Skill = Schemas["Skill"];
export type SkillPage = Schemas["SkillPage"];
/** What a person writes in a skill of their own. A colour of null is the one that belongs to its name. */
export type SkillForm = Required<Schemas["NewSkill"]>;

export class SkillsClient {
  readonly #wire: Wire;

  constructor(wire: Wire) {
    this.#wire = wire;
  }

  /** Their tokens are as this model counts them. */
  list(projectId: string, model: string | null, cursor?: string): Promise<SkillPage> {
    return this.#wire.json(root(projectId), { query: { cursor, model: model ?? undefined } });
  }

  create(projectId: string, form: SkillForm): Promise<Skill> {
    return this.#wire.json(root(projectId), { method: "POST", body: form });
  }

  /** Saves a skill; fails with 412 when somebody else changed it since it was read. */
  save(projectId: string, { id, version }: Skill, form: SkillForm): Promise<Skill> {
    return this.#wire.json(one(projectId, id), { method: "PUT", body: form, headers: { "If-Match": `"${String(version)}"` } });
  }

  async remove(projectId: string, id: string): Promise<void> {
    await this.#wire.send(one(projectId, id), { method: "DELETE" });
  }

  /** Says whether a found skill may be used as it reads now; fails with 409 when it reads otherwise than what was shown. */
  trust(projectId: string, id: string, hash: string, trusted: boolean): Promise<Skill> {
    return this.#wire.json(`${one(projectId, id)}/trust`, { method: "PUT", body: { hash, trusted } });
  }
}

function root(projectId: string): string {
  return `/projects/${encodeURIComponent(projectId)}/skills`;
}

function one(projectId: string, id: string): string {
  return `${root(projectId)}/${encodeURIComponent(id)}`;
}
