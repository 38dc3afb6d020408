/** The folders of chats as typed calls. */
import type { components } from "../generated";
import type { Wire } from "../wire";

type Schemas = components["schemas"];
export type ChatGroup = Schemas["ChatGroup"];
type ChatGroupPage = Schemas["ChatGroupPage"];
/** What a person decides about a folder. It is saved whole. */
export type GroupChange = Schemas["ChatGroupUpdate"];

export class GroupsClient {
  readonly #wire: Wire;

  constructor(wire: Wire) {
    this.#wire = wire;
  }

  async list(projectId: string): Promise<ChatGroup[]> {
    return (await this.#wire.json<ChatGroupPage>(path(projectId))).items;
  }

  create(projectId: string, group: { name: string } & Partial<GroupChange>): Promise<ChatGroup> {
    return this.#wire.json(path(projectId), { method: "POST", body: group });
  }

  /** Saves a folder; fails with 412 when somebody else changed it since it was read. */
  save(group: ChatGroup, change: Partial<GroupChange>): Promise<ChatGroup> {
    const { name, color, parentId, defaultContextIds, defaultSkillIds } = { ...group, ...change };
    return this.#wire.json(path(group.projectId, group.id), {
      method: "PUT",
      body: { name, color, parentId, defaultContextIds, defaultSkillIds },
      headers: { "If-Match": `"${String(group.version)}"` },
    });
  }

  async remove(projectId: string, id: string): Promise<void> {
    await this.#wire.send(path(projectId, id), { method: "DELETE" });
  }

  /** Puts the named folders in this order; those that are not named keep their places. */
  async reorder(projectId: string, ids: readonly string[]): Promise<ChatGroup[]> {
    return (await this.#wire.json<ChatGroupPage>(path(projectId, "reorder"), { method: "PUT", body: { ids } })).items;
  }
}

function path(projectId: string, rest?: string): string {
  const root = `/projects/${encodeURIComponent(projectId)}/chat-groups`;
  return rest === undefined ? root : `${root}/${encodeURIComponent(rest)}`;
}
