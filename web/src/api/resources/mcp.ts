/** MCP servers of a project, as typed calls. */
import type { components } from "../generated";
import type { Wire } from "../wire";

type Schemas = components["schemas"];
export type McpServer = Schemas["McpServer"];
export type McpTool = Schemas["McpTool"];
export type McpApproval = Schemas["McpApproval"];
export type McpFile = Schemas["McpFile"];
export type McpServerList = Schemas["McpServerList"];
export type NewMcpServer = Schemas["NewMcpServer"];
export type McpPermission = McpTool["permission"];
/** How a server is used; what is left out stays. */
export type McpSwitches = Partial<Pick<McpServer, "isOn" | "inDocuments" | "trustsWords">>;

export class McpClient {
  readonly #wire: Wire;

  constructor(wire: Wire) {
    this.#wire = wire;
  }

  list(projectId: string): Promise<McpServerList> {
    return this.#wire.json(pathOf(projectId));
  }

  add(projectId: string, server: NewMcpServer): Promise<McpServerList> {
    return this.#wire.json(pathOf(projectId), { method: "POST", body: server });
  }

  readFile(projectId: string, path: string, isRead: boolean): Promise<McpServerList> {
    return this.#wire.json(pathOf(projectId, "files"), { method: "PUT", body: { path, isRead } });
  }

  update(projectId: string, id: string, change: McpSwitches): Promise<McpServer> {
    return this.#wire.json(pathOf(projectId, id), { method: "PUT", body: change });
  }

  async remove(projectId: string, id: string): Promise<void> {
    await this.#wire.send(pathOf(projectId, id), { method: "DELETE" });
  }

  decide(projectId: string, id: string, digest: string, approved: boolean): Promise<McpServer> {
    return this.#wire.json(pathOf(projectId, id, "approval"), { method: "PUT", body: { digest, approved } });
  }

  restart(projectId: string, id: string): Promise<McpServer> {
    return this.#wire.json(pathOf(projectId, id, "restart"), { method: "POST" });
  }

  async log(projectId: string, id: string): Promise<string[]> {
    return (await this.#wire.json<Schemas["McpLog"]>(pathOf(projectId, id, "log"))).lines;
  }

  permit(projectId: string, id: string, tool: string, permission: McpPermission): Promise<McpServer> {
    return this.#wire.json(pathOf(projectId, id, "tools", tool), { method: "PUT", body: { permission } });
  }

  seen(projectId: string, id: string, tool: string, digest: string): Promise<McpServer> {
    return this.#wire.json(pathOf(projectId, id, "tools", tool, "seen"), { method: "PUT", body: { digest } });
  }

  /** Where to sign in to a server. */
  async signIn(projectId: string, id: string): Promise<string> {
    return (await this.#wire.json<Schemas["McpSignIn"]>(pathOf(projectId, id, "sign-in"), { method: "POST" })).url;
  }

  async signOut(projectId: string, id: string): Promise<void> {
    await this.#wire.send(pathOf(projectId, id, "sign-in"), { method: "DELETE" });
  }
}

function pathOf(projectId: string, ...parts: string[]): string {
  return ["/projects", projectId, "mcp", ...parts].map((part, at) => (at === 0 ? part : encodeURIComponent(part))).join("/");
}
