/** The part of the server in memory that knows MCP servers. */
import type { McpFile, McpPermission, McpServer, McpSwitches, McpTool, NewMcpServer } from "../api";
import type { Asked } from "./fake-models";

export class FakeMcp {
  servers: McpServer[] = [];
  files: McpFile[] = [];
  readonly asked: string[] = [];

  /** The answer to a request, or null when it is about something else. */
  answer({ method, path, body }: Asked): Response | null {
    const [projects, root, id, part, name, seen] = partsOf(path);
    if (projects === "projects" && root === "mcp-offers") return Response.json({ items: [] });
    if (projects !== "projects" || root !== "mcp") return null;
    if (method !== "GET") this.asked.push(`${method} ${[id, part, name, seen].filter(Boolean).join("/")}`);
    if (id === "") return method === "POST" ? this.#add(body as NewMcpServer) : this.#list();
    if (id === "files") return this.#readFile(body as { path: string; isRead: boolean });
    const server = this.servers.find((one) => one.id === id);
    if (!server) return Response.json({ title: "No such server", status: 404, detail: "There is no such server." }, { status: 404 });
    return this.#one(method, server, part, name, body);
  }

  #one(method: string, server: McpServer, part: string, name: string, body: unknown): Response {
    if (part === "log") return Response.json({ lines: ["started", "listening"] });
    if (part === "sign-in") return Response.json({ url: "https://auth.test/authorize?client=recto" });
    if (part === "tools") return this.#put({ ...server, tools: server.tools.map((one) => (one.name === name ? { ...one, difference: null, ...(body as { permission?: McpPermission }) } : one)) });
    if (part === "approval") return this.#put((body as { approved: boolean }).approved ? { ...server, approval: null, state: "ready" } : { ...server, approval: server.approval && { ...server.approval, isDeclined: true } });
    if (part === "restart") return this.#put({ ...server, state: "ready", words: "" });
    if (method === "DELETE") {
      this.servers = this.servers.filter((one) => one !== server);
      return new Response(null, { status: 204 });
    }
    return method === "GET" ? Response.json(server) : this.#put({ ...server, ...(body as McpSwitches) });
  }

  #add({ name, command = "", args = [], url }: NewMcpServer): Response {
    if (this.servers.some((one) => one.name === name)) return Response.json({ title: "Taken", status: 409, detail: `There is a server called ${name} already.` }, { status: 409 });
    this.servers = [...this.servers, mcpServer(name, { lines: [url ?? [command, ...args].join(" ")], isOwn: true, transport: url === undefined || url === null ? "stdio" : "http" })];
    return this.#list();
  }

  #readFile({ path, isRead }: { path: string; isRead: boolean }): Response {
    this.files = this.files.map((file) => (file.path === path ? { ...file, isRead } : file));
    return this.#list();
  }

  #put(server: McpServer): Response {
    this.servers = this.servers.map((one) => (one.id === server.id ? server : one));
    return Response.json(server);
  }

  #list(): Response {
    return Response.json({ items: this.servers, files: this.files, ownTokens: 3100 });
  }
}

/** The parts of an address without its project; empty where it has no more. */
function partsOf(path: string): [projects: string, root: string, id: string, part: string, name: string, seen: string] {
  const [, projects = "", , root = "", id = "", part = "", name = "", seen = ""] = path.split("/").map(decodeURIComponent);
  return [projects, root, id, part, name, seen];
}

export function mcpTool(ownName: string, given: Partial<McpTool> = {}): McpTool {
  return { name: `zotero__${ownName}`, ownName, title: "", description: `Does ${ownName}`, tokens: 142, permission: "ask", saysReadOnly: false, saysDestructive: false, digest: "0".repeat(64), difference: null, unusable: null, ...given };
}

export function mcpServer(name: string, given: Partial<McpServer> = {}): McpServer {
  const base: McpServer = {
    id: name, name, title: "", icon: "", source: "mcp.json", isOwn: false, transport: "stdio", lines: [`uvx ${name}-mcp`], warnings: [], state: "ready", words: "", revision: "2026-07-28",
    isOn: true, inDocuments: false, appOrigins: [], trustsWords: false, isSignedIn: false, approval: null, tools: [], tokens: 0,
  };
  return { ...base, ...given };
}
