/** One notebook as the page follows it: what its cells answer, its kernel, what runs and what waits. */
import { SvelteMap } from "svelte/reactivity";
import { type CodeCompletions, type CodeHelp, type KernelAction, type KernelChoice, type KernelUsage, type KernelVariables, pageProtocols } from "../../api";
import { withoutAnsi } from "./ansi";
import { appended, type CellAnswer, type CellDraft, type FeedMessage, type KernelStatus, type RunningCell, type StateMessage } from "./outputs";

/** What the page asks of the server about notebooks. */
export interface NotebookClient {
  kernels(projectId: string): Promise<KernelChoice[]>;
  run(projectId: string, path: string, cells: readonly string[] | null, restart?: boolean): Promise<void>;
  order(projectId: string, path: string, action: KernelAction, kernel?: string | null): Promise<void>;
  answer(projectId: string, path: string, cell: string, value: string): Promise<void>;
  clear(projectId: string, path: string, cells: readonly string[] | null): Promise<void>;
  variables(projectId: string, path: string): Promise<KernelVariables>;
  usage(projectId: string, path: string): Promise<KernelUsage>;
  complete(projectId: string, path: string, before: string, after: string): Promise<CodeCompletions>;
  help(projectId: string, path: string, before: string, after: string): Promise<CodeHelp>;
}

/** What is needed of a WebSocket. */
export interface FeedSocket {
  onmessage: ((event: { data: unknown }) => void) | null;
  onclose: ((event: { code: number }) => void) | null;
  close(): void;
}

export interface NotebookOptions {
  client: NotebookClient;
  projectId: string;
  path: string;
  address: string;
  /** Waits until the server has every edit of the text. */
  stored: (path: string) => Promise<void>;
  open?: (address: string) => FeedSocket;
}

const NOTHING: CellAnswer = { count: null, outputs: [], ran: null, leftOut: 0 };
const RETRY_MS = 1000;
/** The server refuses: knocking again would not help. */
const REFUSED = 1008;

export class NotebookState {
  readonly path: string;
  readonly answers = new SvelteMap<string, CellAnswer>();
  language = $state("python");
  kernel = $state.raw<KernelStatus | null>(null);
  running = $state.raw<readonly RunningCell[]>([]);
  queue = $state.raw<readonly string[]>([]);
  asked = $state.raw<StateMessage["asked"]>(null);
  stale = $state.raw<StateMessage["stale"]>({});
  problem = $state("");
  drafts = $state.raw<readonly CellDraft[]>([]);
  isOnline = $state(false);
  /** How often an answer of each cell came: makes a browser read its pictures again. */
  readonly versions = new Map<string, number>();
  readonly #options: NotebookOptions;
  readonly #open: (address: string) => FeedSocket;
  #socket: FeedSocket | null = null;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(options: NotebookOptions) {
    this.#options = options;
    this.path = options.path;
    this.#open = options.open ?? ((address) => new WebSocket(address, pageProtocols()) as FeedSocket);
    this.#connect();
  }

  answerOf(id: string): CellAnswer {
    return this.answers.get(id) ?? NOTHING;
  }

  close(): void {
    clearTimeout(this.#timer);
    const socket = this.#socket;
    this.#socket = null;
    socket?.close();
  }

  /** Runs cells as they are now; all of them without a list. */
  async run(cells: readonly string[] | null, restart = false): Promise<void> {
    const { client, projectId, path, stored } = this.#options;
    // What is run is what the server has of the text: it must have all of it.
    await stored(path);
    await client.run(projectId, path, cells, restart);
  }

  order(action: KernelAction, kernel: string | null = null): Promise<void> {
    return this.#options.client.order(this.#options.projectId, this.path, action, kernel);
  }

  answer(cell: string, value: string): Promise<void> {
    return this.#options.client.answer(this.#options.projectId, this.path, cell, value);
  }

  clear(cells: readonly string[] | null): Promise<void> {
    return this.#options.client.clear(this.#options.projectId, this.path, cells);
  }

  kernels(): Promise<KernelChoice[]> {
    return this.#options.client.kernels(this.#options.projectId);
  }

  variables(): Promise<KernelVariables> {
    return this.#options.client.variables(this.#options.projectId, this.path);
  }

  usage(): Promise<KernelUsage> {
    return this.#options.client.usage(this.#options.projectId, this.path);
  }

  /** How the code of a cell can go on, as the kernel knows it. */
  complete(before: string, after: string): Promise<CodeCompletions> {
    return this.#options.client.complete(this.#options.projectId, this.path, before, after);
  }

  /** What a name in a cell is, in the kernel's words. */
  async help(before: string, after: string): Promise<CodeHelp> {
    const found = await this.#options.client.help(this.#options.projectId, this.path, before, after);
    return { ...found, text: withoutAnsi(found.text) };
  }

  #connect(): void {
    const socket = this.#open(this.#options.address);
    this.#socket = socket;
    socket.onmessage = ({ data }) => {
      // The shape is the server's own.
      if (this.#socket === socket && typeof data === "string") this.#take(JSON.parse(data) as FeedMessage);
    };
    socket.onclose = ({ code }) => {
      if (this.#socket !== socket) return;
      this.isOnline = false;
      if (code !== REFUSED) this.#timer = setTimeout(() => { this.#connect(); }, RETRY_MS);
    };
  }

  #take(message: FeedMessage): void {
    switch (message.type) {
      case "notebook":
        this.isOnline = true;
        this.language = message.language;
        this.answers.clear();
        for (const [id, answer] of Object.entries(message.cells)) this.#put(id, answer);
        break;
      case "cell":
        this.#put(message.cell, { count: message.count, outputs: message.outputs, ran: message.ran, leftOut: message.leftOut });
        break;
      case "append":
        this.answers.set(message.cell, appended(this.answerOf(message.cell), message));
        break;
      case "state":
        this.kernel = message.kernel;
        this.running = message.running;
        this.queue = message.queue;
        this.asked = message.asked;
        this.stale = message.stale;
        this.problem = message.problem;
        this.drafts = message.drafts;
        break;
    }
  }

  #put(id: string, answer: CellAnswer): void {
    this.versions.set(id, (this.versions.get(id) ?? 0) + 1);
    this.answers.set(id, answer);
  }
}
