/** The menu over the field of a message: files and servers' resources behind @, skills, commands and prompts behind /. */
import type { ComposerSource, MenuRow, SlashCommand } from "./composer-source";
import { Choice } from "../../core/choice.svelte";
import { LatestRequest } from "../../core/latest-request";
import { matchText } from "../../core/fuzzy-match";

const NAMES_MAX = 12;
const PAUSE_MS = 60;

export class ComposerMenu {
  kind = $state<"files" | "commands" | null>(null);
  /** The servers that did not tell what they offer. */
  silent = $state.raw<readonly string[]>([]);
  /** Whether files with what was typed are being looked for. */
  isLooking = $state(false);
  readonly choice = new Choice();
  readonly #source: ComposerSource;
  readonly #fail: (error: unknown) => void;
  readonly #names = new LatestRequest(PAUSE_MS);
  readonly #offered = new LatestRequest(PAUSE_MS);
  #own = $state.raw<readonly MenuRow[]>([]);
  #theirs = $state.raw<readonly MenuRow[]>([]);
  #prompts: readonly SlashCommand[] = [];

  constructor(source: ComposerSource, fail: (error: unknown) => void) {
    this.#source = source;
    this.#fail = fail;
  }

  get rows(): readonly MenuRow[] {
    return [...this.#own, ...this.#theirs];
  }

  /** Opens, changes or closes with what stands before the caret. */
  show(before: string): void {
    const file = /(?:^|\s)@([^\s@]*)$/.exec(before);
    const command = /^\/(\S*)$/.exec(before);
    if (file) this.#askFiles(file[1] ?? "");
    else if (command) this.#showCommands(command[1] ?? "");
    else this.close();
  }

  close(): void {
    this.#names.cancel();
    this.#offered.cancel();
    this.#source.offers.forget();
    this.kind = null;
    this.isLooking = false;
    [this.#own, this.#theirs, this.silent] = [[], [], []];
  }

  /** Does something with the files that have what was typed last, once they are found. */
  whenFound(run: () => void): void {
    this.#names.whenAnswered(run);
  }

  /** The command, skill or prompt of a row. */
  command(id: string): SlashCommand | undefined {
    return [...this.#source.commands(), ...this.#prompts].find((command) => command.id === id);
  }

  #askFiles(query: string): void {
    if (this.kind !== "files") [this.#own, this.#theirs] = [[], []];
    this.kind = "files";
    this.isLooking = true;
    this.choice.reset();
    this.#names.ask(
      (signal) => this.#source.readNames(query, NAMES_MAX, signal),
      ({ items }) => {
        this.isLooking = false;
        this.#own = items.map(({ path }) => ({ id: path, title: path.slice(path.lastIndexOf("/") + 1), hint: path.slice(0, Math.max(0, path.lastIndexOf("/"))), kind: "file" }));
      },
      (error) => {
        this.close();
        this.#fail(error);
      },
    );
    this.#askServers((signal) => this.#source.offers.mentions(query, signal), (rows) => { this.#theirs = rows; });
  }

  #showCommands(query: string): void {
    this.#names.cancel();
    this.isLooking = false;
    this.choice.reset();
    this.#own = matching(query, this.#source.commands());
    this.kind = this.#own.length > 0 ? "commands" : null;
    this.#askServers(
      () => this.#source.offers.prompts(),
      (prompts) => {
        this.#prompts = prompts;
        this.#theirs = matching(query, prompts);
        if (this.#theirs.length > 0) this.kind = "commands";
      },
    );
  }

  /** What servers can't tell takes nothing of the menu away. */
  #askServers<T>(question: (signal: AbortSignal) => Promise<T>, take: (answer: T) => void): void {
    this.#offered.ask(
      async (signal) => [await question(signal), await this.#source.offers.silent()] as const,
      ([answer, silent]) => {
        this.silent = silent;
        take(answer);
      },
      this.#fail,
    );
  }
}

function matching(query: string, commands: readonly SlashCommand[]): MenuRow[] {
  return commands
    .flatMap((command) => {
      const match = matchText(query, command.title);
      return match ? [{ command, score: match.score }] : [];
    })
    .sort((a, b) => b.score - a.score)
    .map(({ command: { id, title, hint, kind, color, isOn } }) => ({ id, title, hint, kind, color, isOn }));
}
