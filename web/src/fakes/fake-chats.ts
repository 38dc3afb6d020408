/** The part of the server in memory that knows chats, turns and tools. What happens in a turn is told by the test. */
import type { AnswerEntry, Chat, ChatEvent, ChatMatch, ChatTools, ChatTotals, ChatView, NewTurn, Permission, Tool, ToolList, UndoResult, UserEntry } from "../api";
import type { FakeEvents } from "./fake-events";
import type { Asked } from "./fake-models";

type WithoutSeq<T> = T extends ChatEvent ? Omit<T, "seq"> : never;
/** An event that has no number yet. */
export type Happening = WithoutSeq<ChatEvent>;

const ZERO: ChatTotals = { input: 0, cacheRead: 0, cacheWrite: 0, output: 0, costMicros: 0, unpriced: 0, contextTokens: 0 };

export class FakeChats {
  readonly views = new Map<string, ChatView>();
  /** Every request about chats with its body. */
  readonly heard: { what: string; body: unknown }[] = [];
  undo: UndoResult = { files: [], applied: false, notCovered: "", undoCallId: null };
  /** The entries before those that a chat opens with. */
  earlier: ChatView["entries"] = [];
  /** What a search finds. */
  matches: ChatMatch[] = [];
  /** Set to refuse what is said next. */
  refusal: { status: number; detail: string } | null = null;
  tools: ToolList = {
    items: [tool("run_command", { permission: "ask", rules: ["git status*"], doing: "Running", done: "Ran", main: "command" }), tool("read_file", { doing: "Reading", done: "Read" }), tool("fetch_url", { group: "web", reachesOut: true, permission: "deny" })],
    sandbox: "unsandboxed",
    sandboxWords: "Bubblewrap is not installed.",
    sandboxRemedy: "Install it: apt install bubblewrap.",
    reachesOut: true,
  };
  /** What any chat sends along of its tools. */
  readonly toolsOfChat: ChatTools = { mode: "cached", tools: [], forgetAfter: null, offered: [], modes: [] };
  #turns = 0;

  /** Adds a chat with these entries. */
  add(id: string, entries: ChatView["entries"] = [], given: Partial<ChatView> = {}): ChatView {
    const view: ChatView = { chat: chat(id), entries, hasEarlier: false, turns: [], events: [], lastEvent: 0, totals: ZERO, ...given };
    this.views.set(id, view);
    return view;
  }

  /** Tells the page what happened in a chat. */
  tell(events: FakeEvents, id: string, ...happenings: Happening[]): void {
    const view = this.#view(id);
    for (const happening of happenings) {
      view.lastEvent += 1;
      events.chat.say("chat", { ...happening, seq: view.lastEvent });
    }
  }

  /** The answer to a request, or null when it is about something else. */
  answer(asked: Asked): Response | null {
    const { method, path, body } = asked;
    if (!/^\/(chats|turns|approvals|elicitations|tools|calls)(\/|$)|^\/projects\/[^/]+\/chat/.test(path)) return null;
    if (method !== "GET") this.heard.push({ what: `${method} ${path}`, body });
    if (path.startsWith("/projects/")) return this.#inProject(asked);
    if (path.startsWith("/tools")) return this.#tools(asked);
    if (path.endsWith("/undo")) return Response.json({ ...this.undo, applied: asked.query.get("dryRun") === "false" });
    return path.startsWith("/chats/") ? this.#inChat(asked) : new Response(null, { status: 204 });
  }

  /** Changes a chat as another tab would. */
  change(id: string, given: Partial<Chat>): void {
    const view = this.#view(id);
    view.chat = { ...view.chat, ...given, version: view.chat.version + 1 };
  }

  #inProject(asked: Asked): Response {
    const { method, path } = asked;
    const id = /\/chats\/([^/]+)$/.exec(path)?.[1] ?? "";
    const named = this.views.get(id);
    if (method === "PUT" || method === "DELETE") return named ? this.#changeOne(named, asked) : problem(404, "There is no such chat.");
    if (path.endsWith("/tools")) return Response.json(this.toolsOfChat);
    if (path.endsWith("/import")) return Response.json({ imported: 2, known: 1, skipped: [] });
    if (path.endsWith("chat-search")) return Response.json({ items: this.matches });
    if (method === "GET") return Response.json({ items: this.#shown(path.split("/")[2] ?? "", asked.query.getAll("id")), nextCursor: null });
    return Response.json(this.add(`c${String(this.views.size + 1)}`).chat, { status: 201 });
  }

  #inChat(asked: Asked): Response {
    const [, , id = "", part = ""] = asked.path.split("/");
    const view = this.views.get(id);
    if (!view) return problem(404, "There is no such chat.");
    if (part === "turns") return this.#say(view, asked.body);
    if (part === "entries") return asked.method === "GET" ? Response.json({ items: this.earlier, hasEarlier: false }) : this.#onEntry(asked.path);
    return asked.method === "GET" ? Response.json(view) : new Response(null, { status: 204 });
  }

  #shown(projectId: string, ids: readonly string[]): Chat[] {
    return [...this.views.values()].map((view) => view.chat).filter((one) => (one.projectId === projectId || one.isGlobal) && (ids.length === 0 || ids.includes(one.id)));
  }

  #changeOne(view: ChatView, asked: Asked): Response {
    if (asked.method === "PUT") return this.#save(view, asked);
    this.views.delete(view.chat.id);
    return new Response(null, { status: 204 });
  }

  #onEntry(path: string): Response {
    return path.endsWith("/branch") ? Response.json(this.add(`c${String(this.views.size + 1)}`).chat, { status: 201 }) : Response.json({ turnId: this.#nextTurn(), state: "running" }, { status: 202 });
  }

  #say(view: ChatView, body: unknown): Response {
    if (this.refusal) return problem(this.refusal.status, this.refusal.detail);
    const state = view.turns.length > 0 ? "queued" : "running";
    const turnId = this.#nextTurn();
    view.turns.push({ id: turnId, state, text: (body as NewTurn).text, model: null, startedAt: 0, profile: "chat", document: null, limit: null });
    return Response.json({ turnId, state }, { status: 202 });
  }

  #save(view: ChatView, asked: Asked): Response {
    if (asked.headers.get("If-Match") !== `"${String(view.chat.version)}"`) return problem(412, "The chat has changed.");
    view.chat = { ...view.chat, ...(asked.body as Partial<Chat>), version: view.chat.version + 1 };
    return Response.json(view.chat);
  }

  #tools({ method, path, body }: Asked): Response {
    if (path.endsWith("/reaches-out")) this.tools = { ...this.tools, reachesOut: (body as { allowed: boolean }).allowed };
    else if (method === "PUT") {
      const { permission } = body as { permission: Permission };
      this.tools = { ...this.tools, items: this.tools.items.map((item) => (path.endsWith(item.name) ? { ...item, permission } : item)) };
    }
    return Response.json(this.tools);
  }

  #nextTurn(): string {
    this.#turns += 1;
    return `t${String(this.#turns)}`;
  }

  #view(id: string): ChatView {
    const view = this.views.get(id);
    if (!view) throw new Error(`The test has no chat ${id}.`);
    return view;
  }
}

export function chat(id: string, given: Partial<Chat> = {}): Chat {
  return {
    id, projectId: "p1", title: "", model: null, groupId: null, contextIds: [], skillIds: [], additionalFiles: [], additionalPrompt: "", isGlobal: false,
    createdAt: 0, lastActiveAt: 0, version: 1, isRunning: false, ...given,
  };
}

export function userEntry(seq: number, text: string, given: Partial<UserEntry> = {}): UserEntry {
  return { kind: "user", id: `e${String(seq)}`, seq, createdAt: 0, turnId: "t1", text, attached: [], images: [], contexts: [], skills: [], additionalPrompt: "", pinned: false, ...given };
}

export function answerEntry(seq: number, text: string, given: Partial<AnswerEntry> = {}): AnswerEntry {
  return {
    kind: "assistant", id: `e${String(seq)}`, seq, createdAt: 0, turnId: "t1", step: 1, model: "builtin/small", modelName: "Built-in model",
    blocks: [{ type: "text", text }], reason: "end_turn", usage: { input: 9000, cacheRead: 300, cacheWrite: 0, output: 412, reasoning: 0, source: "final" },
    costMicros: 12_000, confidence: { value: 0.86, source: "logprobs", why: "" },
    source: { requestId: "req_1", promptHash: "9f3a", template: "chat 1", contexts: [], answerModel: "claude-sonnet-5-5-20261101", temperature: null, maxOutput: 16_000, effort: "medium" },
    seconds: 4, thinkingSeconds: 0, ...given,
  };
}

function tool(name: string, given: Partial<Tool> = {}): Tool {
  return { name, title: `What ${name} does`, description: "For the model.", group: "workspace", changes: false, reachesOut: false, permission: "allow", rules: [], doing: "Using", done: "Used", main: "path", ...given };
}

function problem(status: number, detail: string): Response {
  return Response.json({ type: "about:blank", title: detail, status, detail }, { status });
}
