/** MCP servers of a project, as typed calls. */
import type { components } from "../generated";
import { ROOT, type Wire } from "../wire";

type Schemas = components["schemas"];
export type McpServer = Schemas["McpServer"];
export type McpTool = Schemas["McpTool"];
export type McpApproval = Schemas["McpApproval"];
export type McpFile = Schemas["McpFile"];
export type McpServerList = Schemas["McpServerList"];
export type NewMcpServer = Schemas["NewMcpServer"];
export type McpToolAnswer = Schemas["McpToolAnswer"];
export type McpAppCallAnswer = Schemas["McpAppCallAnswer"];
export type CallArtifact = Schemas["CallArtifact"];
export type McpPrompt = Schemas["McpPrompt"];
export type McpMessageOffers = Schemas["McpMessageOffers"];
export type McpCompletions = Schemas["McpCompletions"];
export type McpCompletionRequest = Schemas["McpCompletionRequest"];

export type McpPermission = McpTool["permission"];
/** How a server is used; what is left out stays. */
export type McpSwitches = Partial<Pick<McpServer, "isOn" | "inDocuments" | "trustsWords" | "appOrigins">>;

export class McpClient {
  readonly #wire: Wire;

  constructor(wire: Wire) {
    this.#wire = wire;
  }

  list(projectId: string): Promise<McpServerList> {
    return this.#wire.json(pathOf(projectId));
  }

  get(projectId: string, id: string): Promise<McpServer> {
    return this.#wire.json(pathOf(projectId, id));
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

  /** What a message can take of the servers that run. */
  async offers(projectId: string): Promise<McpMessageOffers[]> {
    return (await this.#wire.json<Schemas["McpMessageOffersList"]>(`/projects/${encodeURIComponent(projectId)}/mcp-offers`)).items;
  }

  /** A prompt with its arguments, as words to send. */
  async prompt(projectId: string, id: string, name: string, values: Record<string, string>): Promise<string> {
    return (await this.#wire.json<Schemas["McpPromptText"]>(pathOf(projectId, id, "prompts", "get"), { method: "POST", body: { name, arguments: values } })).text;
  }

  /** What an argument of a prompt, or a part of a resource's address, could be. */
  complete(projectId: string, id: string, about: McpCompletionRequest, signal: AbortSignal): Promise<McpCompletions> {
    return this.#wire.json(pathOf(projectId, id, "complete"), { method: "POST", body: about, signal });
  }

  /** What a server's tool answered, whole. */
  answer(projectId: string, handle: string): Promise<McpToolAnswer> {
    return this.#wire.json(answerPath(projectId, handle));
  }

  /** Calls a tool of an app's own server. */
  callForApp(projectId: string, handle: string, call: { name: string; arguments: Record<string, unknown>; approved: boolean }): Promise<McpAppCallAnswer> {
    return this.#wire.json(answerPath(projectId, handle, "calls"), { method: "POST", body: call });
  }

  /** Reads a resource of an app's own server. */
  async readForApp(projectId: string, handle: string, uri: string): Promise<Record<string, unknown>> {
    return (await this.#wire.json<Schemas["McpAppResource"]>(answerPath(projectId, handle, "resources"), { method: "POST", body: { uri } })).result;
  }
}

/** Where an app's frame is loaded from. */
export function appAddress(projectId: string, handle: string): string {
  return `${ROOT}${answerPath(projectId, handle, "app")}`;
}

function answerPath(projectId: string, handle: string, ...parts: string[]): string {
  return ["/projects", encodeURIComponent(projectId), "tool-answers", encodeURIComponent(handle), ...parts].join("/");
}

function pathOf(projectId: string, ...parts: string[]): string {
  return ["/projects", projectId, "mcp", ...parts].map((part, at) => (at === 0 ? part : encodeURIComponent(part))).join("/");
}
