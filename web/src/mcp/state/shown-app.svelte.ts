/** One app in the chat: its frame, what it asks, and what a person says to that. */
import { type McpClient, type McpToolAnswer, problemOf } from "../../api";
import { AppBridge, type HostContext } from "./app-bridge";

/** What an app wants and somebody has to say yes or no to. */
export interface AppQuestion {
  id: number;
  kind: "call" | "link";
  /** The tool, or the address. */
  subject: string;
  arguments: Record<string, unknown>;
  why: string;
  answer: (said: "once" | "always" | "no") => void;
}

export class ShownApp {
  height = $state(200);
  questions = $state.raw<readonly AppQuestion[]>([]);
  /** Why it is not shown any more. */
  ended = $state("");
  /** Counts the times that it was loaded. */
  version = $state(0);
  #answer = $state.raw<McpToolAnswer | null>(null);
  readonly #client: McpClient;
  readonly #place: { projectId: string; handle: string };
  readonly #propose: (words: string) => void;
  readonly #given: McpToolAnswer;
  #asked = 0;

  constructor(client: McpClient, place: { projectId: string; handle: string }, answer: McpToolAnswer, propose: (words: string) => void) {
    this.#client = client;
    this.#place = place;
    this.#given = answer;
    this.#propose = propose;
  }

  get answer(): McpToolAnswer {
    return this.#answer ?? this.#given;
  }

  /** Speaks with the app in a frame from now on. What it says is given to `take`. */
  connect(frame: HTMLIFrameElement, context: HostContext): { take: (data: unknown) => void; change: (context: HostContext) => void; leave: () => void } {
    const { tool, arguments: given, result, app } = this.answer;
    const bridge = new AppBridge(
      {
        // It has no origin that could be named.
        post: (message) => { frame.contentWindow?.postMessage(message, "*"); },
        call: (name, args) => this.#call(name, args),
        read: (uri) => this.#client.readForApp(this.#place.projectId, this.#place.handle, uri).catch(refuse),
        openLink: async (url) => {
          if ((await this.#ask("link", url, {}, "")) === "no") throw new Error("The person said no.");
          window.open(url, "_blank", "noopener,noreferrer");
        },
        propose: this.#propose,
        resize: (height) => { this.height = height; },
        stop: (why) => { this.#end(why); },
        now: () => performance.now(),
      },
      { tool, arguments: given, result, origins: app?.agreed ?? [], context },
    );
    return { take: (data) => { bridge.take(data); }, change: (next) => { bridge.change(next); }, leave: () => { bridge.leave(); } };
  }

  /** Lets the app reach what it asked for, and loads it again. */
  async agree(): Promise<void> {
    const wanted = this.answer.app?.wanted ?? [];
    const { appOrigins } = await this.#client.get(this.#place.projectId, this.answer.serverId);
    await this.#client.update(this.#place.projectId, this.answer.serverId, { appOrigins: [...new Set([...appOrigins, ...wanted])] });
    this.#answer = await this.#client.answer(this.#place.projectId, this.#place.handle);
    this.reload();
  }

  reload(): void {
    this.questions = [];
    this.ended = "";
    this.version += 1;
  }

  async #call(name: string, given: Record<string, unknown>): Promise<Record<string, unknown>> {
    const { projectId, handle } = this.#place;
    const first = await this.#client.callForApp(projectId, handle, { name, arguments: given, approved: false }).catch(refuse);
    if (first.state !== "asks") return settled(first);
    const said = await this.#ask("call", name, given, first.why ?? "");
    if (said === "no") throw new Error("The person said no.");
    if (said === "always") await this.#client.permit(projectId, this.answer.serverId, first.name ?? "", "allow").catch(refuse);
    return settled(await this.#client.callForApp(projectId, handle, { name, arguments: given, approved: true }).catch(refuse));
  }

  #ask(kind: AppQuestion["kind"], subject: string, given: Record<string, unknown>, why: string): Promise<"once" | "always" | "no"> {
    const { promise, resolve } = Promise.withResolvers<"once" | "always" | "no">();
    const id = (this.#asked += 1);
    const answer = (said: "once" | "always" | "no") => {
      this.questions = this.questions.filter((one) => one.id !== id);
      resolve(said);
    };
    this.questions = [...this.questions, { id, kind, subject, arguments: given, why, answer }];
    return promise;
  }

  #end(why: string): void {
    this.questions = [];
    this.ended = why;
  }
}

function settled({ state, result, why }: { state: string; result?: Record<string, unknown> | null; why?: string }): Record<string, unknown> {
  if (state !== "answered" || !result) throw new Error(why === undefined || why === "" ? "The call was refused." : why);
  return result;
}

/** What the server said, in one sentence that an app can show. */
function refuse(error: unknown): never {
  throw new Error(problemOf(error).detail);
}
