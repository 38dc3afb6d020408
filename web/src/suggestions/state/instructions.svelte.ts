/** The folder's instructions that suggestions would follow, if somebody said that they may. */
import { type Consent, type Instruction, type InstructionsClient, RequestFailed } from "../../api";
import type { Background } from "../../core/background";

const CHANGED = 409;

export interface InstructionsSource {
  client: InstructionsClient;
  projectId: string;
  background: Background;
}

export class FolderInstructions {
  /** Those that wait for an answer, each with the text that is to be read. */
  waiting = $state.raw<readonly Instruction[]>([]);
  readonly #source: InstructionsSource;

  constructor(source: InstructionsSource) {
    this.#source = source;
  }

  /** Suggestions were made without these files, as nobody has said whether to follow them. */
  onUnanswered(paths: readonly string[]): void {
    if (paths.length === 0) this.waiting = [];
    else if (paths.join("\n") !== this.waiting.map(({ path }) => path).join("\n")) this.#source.background(this.load());
  }

  async load(): Promise<void> {
    this.#take(await this.#source.client.list(this.#source.projectId));
  }

  /** Keeps the answer to a text as it was shown. One that has changed meanwhile is read again, and fails. */
  async answer(shown: Instruction, consent: Consent): Promise<void> {
    try {
      this.#take(await this.#source.client.answer(this.#source.projectId, shown, consent));
    } catch (error) {
      if (error instanceof RequestFailed && error.status === CHANGED) await this.load();
      throw error;
    }
  }

  #take(found: readonly Instruction[]): void {
    this.waiting = found.filter(({ consent }) => consent === null);
  }
}
