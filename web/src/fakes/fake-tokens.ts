/** The part of the server in memory that counts tokens: a token for each character of a file, ten for a skill. */
import type { Calculated, ToCalculate } from "../api";
import type { Asked } from "./fake-models";

export class FakeTokens {
  /** Everything that was to be counted. */
  readonly asked: ToCalculate[] = [];
  readonly #files: ReadonlyMap<string, string>;
  readonly #contexts: () => readonly { id: string; files: readonly string[] }[];

  constructor(files: ReadonlyMap<string, string>, contexts: () => readonly { id: string; files: readonly string[] }[]) {
    this.#files = files;
    this.#contexts = contexts;
  }

  /** The answer to a request, or null when it is about something else. */
  answer({ path, body }: Asked): Response | null {
    if (!/^\/projects\/[^/]+\/tokens\/calculate$/.test(path)) return null;
    const what = body as ToCalculate;
    this.asked.push(what);
    return Response.json(this.#count(what));
  }

  #count({ files = [], contextIds = [], skillIds = [], additionalPrompt = "" }: ToCalculate): Calculated {
    const lengths = (paths: readonly string[]) => paths.reduce((sum, path) => sum + (this.#files.get(path)?.length ?? 0), 0);
    const contexts = this.#contexts().filter(({ id }) => contextIds.includes(id));
    const named = [...files, ...contexts.flatMap((context) => context.files)];
    const rest = 10 * skillIds.length + additionalPrompt.length;
    return {
      totalTokens: lengths(named) + rest,
      deduplicatedTokens: lengths([...new Set(named)]) + rest,
      fileTokens: Object.fromEntries(named.filter((path) => this.#files.has(path)).map((path) => [path, lengths([path])])),
      contextTokens: Object.fromEntries(contexts.map(({ id, files: own }) => [id, lengths(own)])),
      skillTokens: Object.fromEntries(skillIds.map((id) => [id, 10])),
      additionalPromptTokens: additionalPrompt.length,
      overlappingFiles: [...new Set(named.filter((path, at) => named.indexOf(path) !== at))],
      missingFiles: [...new Set(named.filter((path) => !this.#files.has(path)))],
      unreadable: [...new Set(named.filter((path) => this.#files.get(path)?.includes("\0")))].map((path) => ({ path, reason: `${path} is not text.` })),
    };
  }
}
