/** Which tools and earlier calls a chat sends along, as its composer shows and changes it. */
import type { Chat, ChatsClient, ChatTools, ToolsChoice, ToolsMode } from "../../api";

/** The button goes round in this order. */
const ROUND: readonly ToolsMode[] = ["auto", "all_on", "all_off", "manual", "cached"];

export class ChatToolsState {
  shown = $state.raw<ChatTools | null>(null);
  readonly #client: Pick<ChatsClient, "toolsOf" | "chooseTools">;
  readonly #chat: Pick<Chat, "projectId" | "id">;
  /** Only the last answer counts: a click while one is on its way overtakes it. */
  #asked = 0;

  constructor(client: Pick<ChatsClient, "toolsOf" | "chooseTools">, chat: Pick<Chat, "projectId" | "id">) {
    this.#client = client;
    this.#chat = chat;
  }

  load(): Promise<void> {
    return this.#take(this.#client.toolsOf(this.#chat));
  }

  /** The next mode of the round. */
  next(): Promise<void> {
    const at = ROUND.indexOf(this.shown?.mode ?? "cached");
    return this.choose({ mode: ROUND[(at + 1) % ROUND.length] ?? "cached" });
  }

  choose(change: Partial<ToolsChoice>): Promise<void> {
    if (this.shown === null) return Promise.resolve();
    const { mode, tools, forgetAfter } = this.shown;
    const choice = { mode, tools, forgetAfter, ...change };
    // At once, so that the next click goes on from here; what it takes comes with the answer.
    this.shown = { ...this.shown, ...choice };
    return this.#take(this.#client.chooseTools(this.#chat, choice));
  }

  /** Ticks a tool, or takes its tick off. */
  tick(name: string): Promise<void> {
    const ticked = this.shown?.tools ?? [];
    const tools = ticked.includes(name) ? ticked.filter((one) => one !== name) : [...ticked, name];
    return this.choose({ mode: "manual", tools });
  }

  /** Ticks all of these tools; if they all are ticked, takes their ticks off. */
  tickAll(names: readonly string[]): Promise<void> {
    const ticked = this.shown?.tools ?? [];
    const rest = ticked.filter((one) => !names.includes(one));
    const areTicked = ticked.length - rest.length === names.length;
    return this.choose({ mode: "manual", tools: areTicked ? rest : [...rest, ...names] });
  }

  async #take(answer: Promise<ChatTools>): Promise<void> {
    this.#asked += 1;
    const asked = this.#asked;
    const found = await answer;
    if (asked === this.#asked) this.shown = found;
  }
}
