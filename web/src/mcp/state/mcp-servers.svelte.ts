/** The MCP servers of a project as the settings show them, and what a person does with them. */
import { type McpClient, type McpPermission, type McpServer, type McpServerList, type McpSwitches, type NewMcpServer, type Problem, problemOf } from "../../api";

export class McpServers {
  list = $state.raw<McpServerList | null>(null);
  problem = $state.raw<Problem | null>(null);
  readonly #client: McpClient;
  #projectId: string | null = null;

  constructor(client: McpClient) {
    this.#client = client;
  }

  /** Reads the servers of a project, and follows them from then on. */
  async show(projectId: string): Promise<void> {
    if (projectId !== this.#projectId) this.list = null;
    this.#projectId = projectId;
    await this.reload();
  }

  /** Reads the servers of a project if nobody did yet. */
  async ensure(projectId: string): Promise<void> {
    if (projectId !== this.#projectId) await this.show(projectId);
  }

  /** The picture of the server that a tool belongs to; empty when it has none. */
  iconOf(tool: string): string {
    return this.list?.items.find((server) => server.tools.some(({ name }) => name === tool))?.icon ?? "";
  }

  /** Reads again what is shown. */
  async reload(): Promise<void> {
    const projectId = this.#projectId;
    if (projectId === null) return;
    try {
      const list = await this.#client.list(projectId);
      if (projectId !== this.#projectId) return;
      this.list = list;
      this.problem = null;
    } catch (error) {
      this.problem = problemOf(error);
    }
  }

  async add(server: NewMcpServer): Promise<void> {
    this.list = await this.#client.add(this.#shown(), server);
  }

  async readFile(path: string, isRead: boolean): Promise<void> {
    this.list = await this.#client.readFile(this.#shown(), path, isRead);
  }

  async update(server: McpServer, change: McpSwitches): Promise<void> {
    this.#put(await this.#client.update(this.#shown(), server.id, change));
  }

  async remove(server: McpServer): Promise<void> {
    await this.#client.remove(this.#shown(), server.id);
    await this.reload();
  }

  /** Says whether exactly what was shown may be started. */
  async decide(server: McpServer, approved: boolean): Promise<void> {
    if (server.approval) this.#put(await this.#client.decide(this.#shown(), server.id, server.approval.digest, approved));
  }

  async restart(server: McpServer): Promise<void> {
    this.#put(await this.#client.restart(this.#shown(), server.id));
  }

  log(server: McpServer): Promise<string[]> {
    return this.#client.log(this.#shown(), server.id);
  }

  async permit(server: McpServer, tool: string, permission: McpPermission): Promise<void> {
    this.#put(await this.#client.permit(this.#shown(), server.id, tool, permission));
  }

  /** Switches a tool on again whose change was looked at. */
  async see(server: McpServer, tool: { name: string; digest: string }): Promise<void> {
    this.#put(await this.#client.seen(this.#shown(), server.id, tool.name, tool.digest));
  }

  /** The address where a person signs in to a server. */
  signIn(server: McpServer): Promise<string> {
    return this.#client.signIn(this.#shown(), server.id);
  }

  async signOut(server: McpServer): Promise<void> {
    await this.#client.signOut(this.#shown(), server.id);
    await this.reload();
  }

  #shown(): string {
    if (this.#projectId === null) throw new Error("No project is shown.");
    return this.#projectId;
  }

  #put(server: McpServer): void {
    if (this.list) this.list = { ...this.list, items: this.list.items.map((one) => (one.id === server.id ? server : one)) };
  }
}
