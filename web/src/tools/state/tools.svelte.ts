/** The tools and what each may do, as the settings show and change them. */
import { type ChatsClient, type Permission, type Problem, problemOf, type Tool, type ToolGroup, type ToolList } from "../../api";
import { countOf } from "../../core/amounts";
import { DOCUMENT_TOOLS, type ToolWords } from "../labels";

export interface ToolSection {
  group: ToolGroup;
  name: string;
  tools: Tool[];
  /** "11 tools, 2 ask" */
  fact: string;
}

const GROUPS: Record<ToolGroup, string> = { workspace: "Workspace", web: "Web", references: "References", notebooks: "Notebooks", feedback: "Feedback", mcp: "MCP servers" };

export class Tools {
  list = $state.raw<ToolList | null>(null);
  problem = $state.raw<Problem | null>(null);
  readonly sections = $derived(sectionsOf(this.list?.items ?? []));
  readonly #client: ChatsClient;

  constructor(client: ChatsClient) {
    this.#client = client;
  }

  async load(): Promise<void> {
    await this.#take(this.#client.tools());
  }

  async permit(name: string, permission: Permission): Promise<void> {
    await this.#take(this.#client.permit(name, permission));
  }

  async letReachOut(allowed: boolean): Promise<void> {
    await this.#take(this.#client.letReachOut(allowed));
  }

  find(name: string): ToolWords | null {
    return this.list?.items.find((tool) => tool.name === name) ?? DOCUMENT_TOOLS[name] ?? null;
  }

  async #take(answer: Promise<ToolList>): Promise<void> {
    try {
      this.list = await answer;
      this.problem = null;
    } catch (error) {
      this.problem = problemOf(error);
    }
  }
}

export function sectionsOf(tools: readonly Tool[]): ToolSection[] {
  const groups: ToolGroup[] = ["workspace", "web", "references", "notebooks", "feedback"];
  return groups.flatMap((group) => {
    const inside = tools.filter((tool) => tool.group === group);
    return inside.length === 0 ? [] : [{ group, name: GROUPS[group], tools: inside, fact: factOf(inside) }];
  });
}

function factOf(tools: readonly Tool[]): string {
  const asks = tools.filter((tool) => tool.permission === "ask").length;
  const denied = tools.filter((tool) => tool.permission === "deny").length;
  const words = [asks > 0 ? `${String(asks)} ask` : "", denied > 0 ? `${String(denied)} denied` : ""].filter(Boolean);
  return `${countOf(tools.length, "tool")}, ${words.length > 0 ? words.join(", ") : "all allowed"}`;
}
