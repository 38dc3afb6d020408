/** Chats, turns and tools as typed calls. */
import type {
  ApprovalAnswer, Chat, ChatMatches, ChatPage, ChatTools, ChatUpdate, ChatView, ElicitationReply, EntryPage, ImportResult, NewChat, NewTurn, Permission, ToolList,
  ToolOutput, ToolsChoice, TurnAdmitted, UndoResult,
} from "./chats";
import type { AskPreview, Preview } from "./previews";
import { queryString, ROOT, type Wire } from "../wire";
import { pageTicket } from "../page-secret";

export type ExportFormat = "markdown" | "json" | "html";

/** What can be undone: a whole turn, or one call of it. */
export interface Undoable {
  turnId: string;
  callId: string | null;
}

export class ChatsClient {
  readonly #wire: Wire;

  constructor(wire: Wire) {
    this.#wire = wire;
  }

  list(projectId: string, cursor?: string, limit?: number): Promise<ChatPage> {
    return this.#wire.json(`/projects/${part(projectId)}/chats`, { query: { cursor, limit } });
  }

  /** Those of some chats that the project still shows. */
  async some(projectId: string, ids: readonly string[]): Promise<Chat[]> {
    return (await this.#wire.json<ChatPage>(`/projects/${part(projectId)}/chats`, { query: { id: ids } })).items;
  }

  create(projectId: string, chat: NewChat): Promise<Chat> {
    return this.#wire.json(`/projects/${part(projectId)}/chats`, { method: "POST", body: chat });
  }

  search(projectId: string, query: string, signal?: AbortSignal): Promise<ChatMatches> {
    return this.#wire.json(`/projects/${part(projectId)}/chat-search`, { query: { query }, signal });
  }

  import(projectId: string, file: Blob): Promise<ImportResult> {
    return this.#wire.json(`/projects/${part(projectId)}/chats/import`, { method: "POST", data: file });
  }

  view(id: string): Promise<ChatView> {
    return this.#wire.json(chatPath(id));
  }

  /** Saves a chat; fails with 412 when somebody else changed it since it was read. Another project moves it there. */
  save(chat: Chat, change: Partial<ChatUpdate>): Promise<Chat> {
    const { title, model, groupId, contextIds, skillIds, additionalFiles, additionalPrompt, isGlobal, projectId } = chat;
    return this.#wire.json(`/projects/${part(projectId)}/chats/${part(chat.id)}`, {
      method: "PUT",
      body: { title, model, groupId, contextIds, skillIds, additionalFiles, additionalPrompt, isGlobal, projectId, ...change },
      headers: { "If-Match": `"${String(chat.version)}"` },
    });
  }

  /** How a chat sends tools along, and what each other way would send and cost. */
  toolsOf({ projectId, id }: Pick<Chat, "projectId" | "id">): Promise<ChatTools> {
    return this.#wire.json(`/projects/${part(projectId)}/chats/${part(id)}/tools`);
  }

  chooseTools({ projectId, id }: Pick<Chat, "projectId" | "id">, choice: ToolsChoice): Promise<ChatTools> {
    return this.#wire.json(`/projects/${part(projectId)}/chats/${part(id)}/tools`, { method: "PUT", body: choice });
  }

  /** A part of what a tool answered that was too long to be sent whole. */
  output(projectId: string, handle: string, start: number): Promise<ToolOutput> {
    return this.#wire.json(`/projects/${part(projectId)}/tool-outputs/${part(handle)}`, { query: { start } });
  }

  async remove({ projectId, id }: Pick<Chat, "projectId" | "id">): Promise<void> {
    await this.#wire.send(`/projects/${part(projectId)}/chats/${part(id)}`, { method: "DELETE" });
  }

  entries(id: string, before: number, limit?: number): Promise<EntryPage> {
    return this.#wire.json(chatPath(id, "entries"), { query: { before, limit } });
  }

  async image(id: string, hash: string): Promise<Uint8Array> {
    const response = await this.#wire.send(chatPath(id, `images/${part(hash)}`));
    return new Uint8Array(await response.arrayBuffer());
  }

  discarded(id: string, accountingEntryId: string): Promise<EntryPage> {
    return this.#wire.json(chatPath(id, `discarded/${part(accountingEntryId)}`));
  }

  say(id: string, turn: NewTurn): Promise<TurnAdmitted> {
    return this.#wire.json(chatPath(id, "turns"), { method: "POST", body: turn });
  }

  /** What would be sent; nothing is. */
  preview(projectId: string, asked: AskPreview, signal?: AbortSignal): Promise<Preview> {
    return this.#wire.json(`/projects/${part(projectId)}/preview`, { method: "POST", body: asked, signal });
  }

  async cancel(turnId: string): Promise<void> {
    await this.#wire.send(turnPath(turnId, "cancel"), { method: "POST" });
  }

  async steer(turnId: string, text: string): Promise<void> {
    await this.#wire.send(turnPath(turnId, "steer"), { method: "POST", body: { text } });
  }

  /** Goes on after an interruption or a limit; starts a turn that waits after one. */
  async continue(turnId: string): Promise<void> {
    await this.#wire.send(turnPath(turnId, "continue"), { method: "POST" });
  }

  async removeQueued(turnId: string): Promise<void> {
    await this.#wire.send(`/turns/${part(turnId)}`, { method: "DELETE" });
  }

  async answer(approvalId: string, answer: ApprovalAnswer): Promise<void> {
    await this.#wire.send(`/approvals/${part(approvalId)}`, { method: "POST", body: { answer } });
  }

  /** Answers an MCP server that asks. */
  async reply(elicitationId: string, answer: ElicitationReply): Promise<void> {
    await this.#wire.send(`/elicitations/${part(elicitationId)}`, { method: "POST", body: answer });
  }

  async edit(id: string, entryId: string, turn: NewTurn): Promise<void> {
    await this.#wire.send(entryPath(id, entryId, "edit"), { method: "POST", body: turn });
  }

  async retry(id: string, entryId: string, model: string | null): Promise<void> {
    await this.#wire.send(entryPath(id, entryId, "retry"), { method: "POST", body: { model } });
  }

  branch(id: string, entryId: string): Promise<Chat> {
    return this.#wire.json(entryPath(id, entryId, "branch"), { method: "POST" });
  }

  async pin(id: string, entryId: string, pinned: boolean): Promise<void> {
    await this.#wire.send(entryPath(id, entryId, "pin"), { method: "PUT", body: { pinned } });
  }

  async summarise(id: string): Promise<void> {
    await this.#wire.send(chatPath(id, "summary"), { method: "POST", body: { model: null } });
  }

  async takeOffSummary(id: string, entryId: string): Promise<void> {
    await this.#wire.send(chatPath(id, `summary/${part(entryId)}`), { method: "DELETE" });
  }

  undo(what: Undoable, dryRun: boolean): Promise<UndoResult> {
    const path = what.callId === null ? turnPath(what.turnId, "undo") : `/calls/${part(what.turnId)}/${part(what.callId)}/undo`;
    return this.#wire.json(path, { method: "POST", query: { dryRun } });
  }

  tools(): Promise<ToolList> {
    return this.#wire.json("/tools");
  }

  /** Turns all tools that reach a third party off, or lets each have its own permission again. */
  letReachOut(allowed: boolean): Promise<ToolList> {
    return this.#wire.json("/tools/reaches-out", { method: "PUT", body: { allowed } });
  }

  permit(name: string, permission: Permission): Promise<ToolList> {
    return this.#wire.json(`/tools/${part(name)}`, { method: "PUT", body: { permission } });
  }
}

/** Where a chat can be downloaded. */
export function exportAddress(id: string, format: ExportFormat): string {
  return `${ROOT}${chatPath(id, "export")}${queryString({ format, ...pageTicket() })}`;
}

export function imageAddress(chatId: string, hash: string): string {
  return `${ROOT}${chatPath(chatId, `images/${part(hash)}`)}${queryString(pageTicket())}`;
}

function part(text: string): string {
  return encodeURIComponent(text);
}

function chatPath(id: string, rest?: string): string {
  return rest ? `/chats/${part(id)}/${rest}` : `/chats/${part(id)}`;
}

function entryPath(id: string, entryId: string, action: string): string {
  return chatPath(id, `entries/${part(entryId)}/${action}`);
}

function turnPath(id: string, action: string): string {
  return `/turns/${part(id)}/${action}`;
}
