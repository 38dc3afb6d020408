/** Threads and comments, each at a passage of a text or of an answer, as typed calls. */
import type { NewTurn } from "./chats";
import type { components } from "../generated";
import type { Wire } from "../wire";

type Schemas = components["schemas"];
/** A thread has a conversation; one without is a comment, with words of its own. */
export type Thread = Schemas["Thread"];
export type ThreadStatus = Thread["status"];
/** The passage of a new thread: in a text, by UTF-16 units, or in an answer, by its words. */
export type NewPassage = Schemas["NewThread"]["passage"];
/** A message that was taken. */
export type ThreadTurn = Schemas["ThreadAdmitted"];

/** Where a passage is in a live text, by its characters: an edit elsewhere does not move it. */
export interface ThreadPlace {
  /** Which history of the text the positions belong to. */
  epoch: string;
  from: object;
  to: object;
}

/** A message in a thread, with all that goes along. */
export type ThreadMessage = Omit<NewTurn, "profile" | "document" | "transform">;

/** What a new thread begins with: the words of a comment, or a first message. */
export type Beginning = { body: string } | ThreadMessage;

export interface ThreadChange {
  /** Other words for a comment; null keeps them. */
  body: string | null;
  resolved: boolean;
}

/** Comments that are sent as one message, to a chat or, with null, to a new one. */
export type SentComments = Pick<ThreadMessage, "text" | "model" | "files" | "contextIds" | "skillIds" | "additionalPrompt" | "openTabs" | "activeTab"> & { ids: readonly string[]; chatId: string | null };

export class ThreadsClient {
  readonly #wire: Wire;

  constructor(wire: Wire) {
    this.#wire = wire;
  }

  async list(projectId: string): Promise<Thread[]> {
    const { items } = await this.#wire.json<Schemas["ThreadList"]>(root(projectId));
    return items;
  }

  create(projectId: string, passage: NewPassage, beginning: Beginning): Promise<Thread> {
    return this.#wire.json(root(projectId), { method: "POST", body: { passage, ...beginning } });
  }

  /** Saves a comment's words, unless null, and whether it is resolved; fails with 412 when somebody else changed it since it was read. */
  save({ projectId, id, version }: Thread, change: ThreadChange): Promise<Thread> {
    return this.#wire.json(one(projectId, id), { method: "PUT", body: change, headers: { "If-Match": `"${String(version)}"` } });
  }

  async remove(projectId: string, id: string): Promise<void> {
    await this.#wire.send(one(projectId, id), { method: "DELETE" });
  }

  reply(projectId: string, id: string, message: ThreadMessage): Promise<ThreadTurn> {
    return this.#wire.json(`${one(projectId, id)}/messages`, { method: "POST", body: message });
  }

  /** Sends several comments as one message. */
  send(projectId: string, comments: SentComments): Promise<ThreadTurn> {
    return this.#wire.json(`${root(projectId)}/send`, { method: "POST", body: comments });
  }
}

function root(projectId: string): string {
  return `/projects/${encodeURIComponent(projectId)}/threads`;
}

function one(projectId: string, id: string): string {
  return `${root(projectId)}/${encodeURIComponent(id)}`;
}
