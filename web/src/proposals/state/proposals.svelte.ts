/** What models have proposed in the chats that show, and deciding it. */
import { type Proposal, type ProposalsClient, RequestFailed } from "../../api";
import { Throttle } from "../../core/throttle";
import type { Background } from "../../core/background";

const RELOAD_MS = 100;
const CONFLICT = 409;

export interface ProposalsSource {
  client: ProposalsClient;
  background: Background;
  /** Waits until the server has what was typed in a file. */
  stored: (path: string) => Promise<void>;
}

export class Proposals {
  #byChat = $state.raw<ReadonlyMap<string, readonly Proposal[]>>(new Map());
  readonly #wanted = new Set<string>();
  readonly #source: ProposalsSource;
  readonly #soon: Throttle;
  /** Which reading of a chat is shown. */
  readonly #newest = new Map<string, number>();
  #reads = 0;

  constructor(source: ProposalsSource) {
    this.#source = source;
    this.#soon = new Throttle(RELOAD_MS, () => { for (const chatId of this.#wanted) source.background(this.#load(chatId)); });
  }

  /** Reads what was proposed in a chat, once; later changes are heard of. */
  want(chatId: string): void {
    if (this.#wanted.has(chatId)) return;
    this.#wanted.add(chatId);
    this.#source.background(this.#load(chatId));
  }

  /** Something proposed has changed, or something new may have been. */
  onChange(): void {
    if (this.#wanted.size > 0) this.#soon.ask();
  }

  /** What a call has proposed; null until it is known. */
  find(chatId: string, turnId: string, callId: string): Proposal | null {
    return this.#byChat.get(chatId)?.find((one) => one.turnId === turnId && one.callId === callId) ?? null;
  }

  /** Takes an option; "changed" when the text it is about is not there any more. What somebody else decided meanwhile is done. */
  async apply(proposal: Proposal, option: number): Promise<"done" | "changed"> {
    const path = proposal.options[option]?.path ?? null;
    if (path !== null) await this.#source.stored(path);
    try {
      this.#take(await this.#source.client.apply(proposal.id, option));
      return "done";
    } catch (error) {
      if (!(error instanceof RequestFailed) || error.status !== CONFLICT) throw error;
      await this.#load(proposal.chatId);
      return this.find(proposal.chatId, proposal.turnId, proposal.callId)?.status === "open" ? "changed" : "done";
    }
  }

  async dismiss(proposal: Proposal): Promise<void> {
    this.#take(await this.#source.client.dismiss(proposal.id));
  }

  async reopen(proposal: Proposal): Promise<void> {
    this.#take(await this.#source.client.reopen(proposal.id));
  }

  async #load(chatId: string): Promise<void> {
    this.#reads += 1;
    const mine = this.#reads;
    const found = await this.#source.client.ofChat(chatId);
    // What was decided, or read anew, meanwhile is newer.
    if (mine >= (this.#newest.get(chatId) ?? 0)) this.#put(chatId, found, mine);
  }

  #take(fresh: Proposal): void {
    this.#reads += 1;
    const known = this.#byChat.get(fresh.chatId) ?? [];
    this.#put(fresh.chatId, known.map((one) => (one.id === fresh.id ? fresh : one)), this.#reads);
  }

  #put(chatId: string, proposals: readonly Proposal[], read: number): void {
    this.#newest.set(chatId, read);
    this.#byChat = new Map(this.#byChat).set(chatId, proposals);
  }
}
