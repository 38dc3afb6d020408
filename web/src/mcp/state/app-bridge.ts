/** Our end of an app's messages: JSON-RPC over postMessage, as the extension MCP Apps has it. An app asks; what is done stands with its host. */

import { hidesLetters } from "../../core/exact-text";

const PROTOCOL = "2026-01-26";
/** An app that says more than this in a second is ended. */
const MOST_MESSAGES = 200;
const WINDOW_MS = 1000;
/** How many of its requests may be open at once. */
const MOST_OPEN = 16;
const LOWEST_PX = 40;
const HIGHEST_PX = 800;
const NO_METHOD = -32601;
const WRONG_PARAMS = -32602;
const REFUSED = -32000;

export interface HostContext {
  theme: "light" | "dark";
  styles: { variables: Record<string, string> };
  containerDimensions: { width: number; maxHeight: number };
}

/** What an app is given to begin with. */
export interface AppStart {
  tool: string;
  arguments: Record<string, unknown>;
  result: Record<string, unknown>;
  /** The origins that somebody agreed to. */
  origins: readonly string[];
  context: HostContext;
}

/** What is done for an app. A promise that is rejected is a refusal, in the words of its error. */
export interface AppHost {
  post: (message: unknown) => void;
  call: (name: string, given: Record<string, unknown>) => Promise<Record<string, unknown>>;
  read: (uri: string) => Promise<Record<string, unknown>>;
  openLink: (url: string) => Promise<void>;
  /** Puts words where the person can send them. */
  propose: (text: string) => void;
  resize: (height: number) => void;
  /** It did too much and is over. */
  stop: (why: string) => void;
  now: () => number;
}

type Fields = Record<string, unknown>;
class Refusal extends Error {
  constructor(readonly code: number, message: string) {
    super(message);
  }
}

export class AppBridge {
  readonly #host: AppHost;
  readonly #start: AppStart;
  #context: HostContext;
  #isInitialized = false;
  #isOver = false;
  #open = 0;
  #count = 0;
  #since = 0;

  constructor(host: AppHost, start: AppStart) {
    this.#host = host;
    this.#start = start;
    this.#context = start.context;
  }

  /** Takes whatever came from the app's frame. */
  take(data: unknown): void {
    if (this.#isOver || !this.#mayGoOn()) return;
    if (!isFields(data) || data["jsonrpc"] !== "2.0" || typeof data["method"] !== "string") return;
    const { id } = data;
    const params = isFields(data["params"]) ? data["params"] : {};
    if (id === undefined) this.#hear(data["method"], params);
    else if (typeof id === "string" || typeof id === "number") void this.#answer(id, data["method"], params);
  }

  /** The page looks otherwise now. */
  change(context: HostContext): void {
    this.#context = context;
    if (this.#isInitialized) this.#notify("ui/notifications/host-context-changed", { ...context });
  }

  /** The frame is about to go. */
  leave(): void {
    if (this.#isInitialized && !this.#isOver) this.#host.post({ jsonrpc: "2.0", id: "teardown", method: "ui/resource-teardown", params: { reason: "closed" } });
    this.#isOver = true;
  }

  #mayGoOn(): boolean {
    const now = this.#host.now();
    if (now - this.#since >= WINDOW_MS) [this.#since, this.#count] = [now, 0];
    this.#count += 1;
    if (this.#count <= MOST_MESSAGES) return true;
    this.#isOver = true;
    this.#host.stop("It sent too many messages and was ended.");
    return false;
  }

  #hear(method: string, params: Fields): void {
    if (method === "ui/notifications/size-changed" && typeof params["height"] === "number" && Number.isFinite(params["height"])) {
      this.#host.resize(Math.min(HIGHEST_PX, Math.max(LOWEST_PX, Math.ceil(params["height"]))));
    } else if (method === "ui/notifications/initialized" && !this.#isInitialized) {
      this.#isInitialized = true;
      this.#notify("ui/notifications/tool-input", { arguments: this.#start.arguments });
      this.#notify("ui/notifications/tool-result", this.#start.result);
    }
  }

  async #answer(id: string | number, method: string, params: Fields): Promise<void> {
    if (this.#open >= MOST_OPEN) {
      this.#host.post({ jsonrpc: "2.0", id, error: { code: REFUSED, message: "Too many requests are open." } });
      return;
    }
    this.#open += 1;
    try {
      const result = await this.#result(method, params);
      if (!this.#isOver) this.#host.post({ jsonrpc: "2.0", id, result });
    } catch (error) {
      const code = error instanceof Refusal ? error.code : REFUSED;
      if (!this.#isOver) this.#host.post({ jsonrpc: "2.0", id, error: { code, message: error instanceof Error ? error.message : "Refused." } });
    } finally {
      this.#open -= 1;
    }
  }

  #result(method: string, params: Fields): Fields | Promise<Fields> {
    switch (method) {
      case "ui/initialize":
        return this.#welcome();
      case "ping":
        return {};
      case "tools/call":
        return this.#host.call(textOf(params, "name"), isFields(params["arguments"]) ? params["arguments"] : {});
      case "resources/read":
        return this.#host.read(textOf(params, "uri"));
      case "ui/open-link":
        return this.#host.openLink(linkOf(textOf(params, "url"))).then(() => ({}));
      case "ui/message":
        this.#host.propose(wordsOf(params["content"]));
        return {};
      case "ui/request-display-mode":
        return { mode: "inline" };
      default:
        throw new Refusal(NO_METHOD, `Recto does not offer ${method}.`);
    }
  }

  #welcome(): Fields {
    const { tool, origins } = this.#start;
    return {
      protocolVersion: PROTOCOL,
      hostInfo: { name: "Recto", version: "1" },
      hostCapabilities: { openLinks: {}, serverTools: {}, serverResources: {}, sandbox: { permissions: {}, csp: { connectDomains: origins, resourceDomains: origins } } },
      hostContext: {
        ...this.#context, displayMode: "inline", availableDisplayModes: ["inline"], platform: "web", userAgent: "recto", locale: navigator.language,
        timeZone: Intl.DateTimeFormat().resolvedOptions().timeZone, toolInfo: { tool: { name: tool, inputSchema: { type: "object" } } },
      },
    };
  }

  #notify(method: string, params: Fields): void {
    this.#host.post({ jsonrpc: "2.0", method, params });
  }
}

function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function textOf(params: Fields, name: string): string {
  const value = params[name];
  if (typeof value !== "string" || value === "") throw new Refusal(WRONG_PARAMS, `${name} is missing.`);
  return value;
}

/** An address for a browser, whole. */
function linkOf(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url?.protocol !== "https:" && url?.protocol !== "http:") throw new Refusal(REFUSED, "Only addresses of the web are opened.");
  return url.href;
}

/** The words of a message: one block, or several. */
function wordsOf(content: unknown): string {
  const blocks = Array.isArray(content) ? content : [content];
  const texts = blocks.flatMap((block) => (isFields(block) && block["type"] === "text" && typeof block["text"] === "string" ? [block["text"]] : []));
  if (texts.length === 0) throw new Refusal(WRONG_PARAMS, "The message has no words.");
  const words = texts.join("\n\n");
  // A person sends them as their own.
  if (hidesLetters(words)) throw new Refusal(REFUSED, "The message has letters that nobody can see.");
  return words;
}
