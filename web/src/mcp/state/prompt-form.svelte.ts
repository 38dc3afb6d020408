/** A prompt of a server that is filled in before its words go into a message. */
import { type McpClient, type McpPrompt, type Problem, problemOf } from "../../api";
import { LatestRequest } from "../../core/latest-request";

const PAUSE_MS = 150;

/** Where the words of a prompt go. */
export interface PromptTarget {
  insert(text: string): void;
}

export class PromptForm {
  values = $state<Record<string, string>>({});
  /** What the server says that an argument could be. */
  choices = $state.raw<Readonly<Record<string, readonly string[]>>>({});
  isBusy = $state(false);
  problem = $state.raw<Problem | null>(null);
  /** Whether it was to be used while something was missing. */
  isTried = $state(false);
  readonly server: string;
  readonly prompt: McpPrompt;
  readonly target: PromptTarget;
  readonly #ask: Pick<McpClient, "prompt" | "complete">;
  readonly #at: readonly [projectId: string, serverId: string];
  readonly #completing = new LatestRequest(PAUSE_MS);

  constructor(ask: Pick<McpClient, "prompt" | "complete">, at: readonly [string, string], server: string, prompt: McpPrompt, target: PromptTarget) {
    this.#ask = ask;
    this.#at = at;
    this.server = server;
    this.prompt = prompt;
    this.target = target;
    this.values = Object.fromEntries(prompt.arguments.map(({ name }) => [name, ""]));
  }

  isMissing(name: string): boolean {
    const argument = this.prompt.arguments.find((one) => one.name === name);
    return argument?.required === true && (this.values[name] ?? "").trim() === "";
  }

  /** Takes what is written of an argument, and asks the server how it could go on. */
  type(name: string, value: string): void {
    this.values[name] = value;
    const known = this.#written(name);
    this.#completing.ask(
      (signal) => this.#ask.complete(...this.#at, { kind: "prompt", name: this.prompt.name, argument: name, value, known }, signal),
      ({ values }) => { this.choices = { ...this.choices, [name]: values }; },
      // What can't be completed can still be written.
      () => { this.choices = { ...this.choices, [name]: [] }; },
    );
  }

  /** Puts the prompt's words where they go; whether that is done. */
  async use(): Promise<boolean> {
    this.isTried = true;
    if (this.isBusy || this.prompt.arguments.some(({ name }) => this.isMissing(name))) return false;
    this.isBusy = true;
    this.problem = null;
    try {
      this.target.insert(await this.#ask.prompt(...this.#at, this.prompt.name, this.#written("")));
      return true;
    } catch (error) {
      this.problem = problemOf(error);
      return false;
    } finally {
      this.isBusy = false;
    }
  }

  /** What is written of every argument but one. */
  #written(but: string): Record<string, string> {
    return Object.fromEntries(Object.entries(this.values).filter(([name, value]) => name !== but && value.trim() !== ""));
  }
}
