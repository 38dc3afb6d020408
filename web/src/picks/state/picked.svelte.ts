/** What goes along with the next message of this tab: ticked files, contexts and skills that are on, words for every message. */
import { type Calculated, type Problem, problemOf, type ToCalculate } from "../../api";
import { LatestRequest } from "../../core/latest-request";
import { type PickedItems, countInside, type Defaults, filesLeftOut, isPickedItems, living, NOTHING, type PickedContext, type Pins } from "./pick-values";
import { recall, remember } from "../../core/browser-storage";

export interface PickedSource {
  projectId: string;
  /** Every context there is; null until they were read. */
  contexts(): readonly PickedContext[] | null;
  /** Every skill that can be on; null until they were read. */
  skills(): readonly { readonly id: string }[] | null;
  calculate(what: ToCalculate, signal: AbortSignal): Promise<Calculated>;
  /** Something else goes along now. */
  changed(): void;
}

/** The most files that can be ticked: as many as can be counted at once. */
export const FILES_MAX = 10_000;
const COUNT_MS = 300;

export class Picked {
  /** POST tokens/calculate, 300 ms after the last change; null while nothing is picked or it can't be told. */
  tokens = $state.raw<Calculated | null>(null);
  /** Why that can't be counted. */
  problem = $state.raw<Problem | null>(null);
  /** Whether this tab had picked before, and its page was loaded again. */
  readonly wasKept: boolean;
  /** Replaced as a whole, never changed in place. */
  #files = $state.raw<ReadonlySet<string>>(new Set());
  #contextIds = $state.raw<readonly string[]>([]);
  #skillIds = $state.raw<readonly string[]>([]);
  #additionalPrompt = $state("");
  /** How many ticked files lie in each folder. */
  readonly #inside = $derived(countInside(this.#files));
  readonly #source: PickedSource;
  readonly #counts = new LatestRequest(COUNT_MS);
  /** Contexts that were switched on before their files were known. */
  #toTick: string[] = [];
  /** What a chat or its defaults put here, while nobody has changed it. */
  #restored = "";
  #waiting: PromiseWithResolvers<null> | null = null;

  constructor(source: PickedSource) {
    this.#source = source;
    const kept = recall(this.#key, isPickedItems, "tab");
    this.wasKept = kept !== null;
    if (kept) this.#take(kept);
  }

  get files(): ReadonlySet<string> {
    return this.#files;
  }

  /** Those that are on; one that was deleted meanwhile is not. */
  get contextIds(): readonly string[] {
    return living(this.#contextIds, this.#source.contexts());
  }

  get skillIds(): readonly string[] {
    return living(this.#skillIds, this.#source.skills());
  }

  get additionalPrompt(): string {
    return this.#additionalPrompt;
  }

  set additionalPrompt(words: string) {
    if (words === this.#additionalPrompt) return;
    this.#additionalPrompt = words;
    this.#changed();
  }

  get isEmpty(): boolean {
    return this.#files.size === 0 && this.contextIds.length === 0 && this.skillIds.length === 0 && this.#additionalPrompt.trim() === "";
  }

  /** Ticked, and not there any more: marked, and not sent. */
  get missingFiles(): readonly string[] {
    return (this.tokens?.missingFiles ?? []).filter((path) => this.#files.has(path));
  }

  /** Ticked, and no text or too large: marked, and not sent. */
  get unreadableFiles(): readonly string[] {
    return (this.tokens?.unreadable ?? []).map(({ path }) => path).filter((path) => this.#files.has(path));
  }

  /** Ticked files that no context which is on brings. */
  get additionalFiles(): string[] {
    const brought = new Set(this.#active().flatMap(({ files }) => files));
    return [...this.#files].filter((path) => !brought.has(path));
  }

  /** How many ticked files lie in a folder, at any depth. */
  countInside(folder: string): number {
    return folder === "" ? this.#files.size : (this.#inside.get(folder) ?? 0);
  }

  toggleFile(path: string): void {
    this.setFiles([path], !this.#files.has(path));
  }

  /** Ticks or unticks files. Ticking answers false, and does nothing, where they would be too many. */
  setFiles(paths: readonly string[], on: boolean): boolean {
    const files = new Set(on ? [...this.#files, ...paths] : this.#files);
    if (files.size > FILES_MAX) return false;
    if (!on) for (const path of paths) files.delete(path);
    this.#files = files;
    this.#changed();
    return true;
  }

  /** Unticks every file in a folder. */
  untickInside(folder: string): void {
    this.setFiles([...this.#files].filter((path) => path.startsWith(`${folder}/`)), false);
  }

  /** Switches a context on and ticks its files, once. */
  activate(context: PickedContext): void {
    if (!this.#contextIds.includes(context.id)) this.#contextIds = [...this.#contextIds, context.id];
    this.#tick(context);
    this.#changed();
  }

  /** Switches a context off; the ticks stay. */
  deactivate(id: string): void {
    this.#contextIds = this.#contextIds.filter((other) => other !== id);
    this.#changed();
  }

  toggleSkill(id: string): void {
    this.#skillIds = this.#skillIds.includes(id) ? this.#skillIds.filter((other) => other !== id) : [...this.#skillIds, id];
    this.#changed();
  }

  /** The files a context would have if it were made to match: its ticked ones, and those that are ticked and in no context that is on. */
  matching(context: PickedContext): string[] {
    const others = new Set(this.#active().flatMap((other) => (other.id === context.id ? [] : other.files)));
    const own = new Set(context.files);
    const missing = new Set(context.missingFiles);
    const kept = context.files.filter((path) => this.#files.has(path) || missing.has(path));
    const extra = [...this.#files].filter((path) => !own.has(path) && !others.has(path));
    return [...kept, ...extra.sort()];
  }

  /** Whether the ticks are other than the context's files. */
  differs(context: PickedContext): boolean {
    const matching = this.matching(context);
    return matching.length !== context.files.length || matching.some((path, at) => path !== context.files[at]);
  }

  clear(): void {
    this.replace(NOTHING);
  }

  /** What a message names now. */
  along(): PickedItems {
    const kept = new Set([...this.missingFiles, ...this.unreadableFiles]);
    const files = [...this.#files].filter((path) => !kept.has(path));
    const contextIds = [...this.contextIds];
    const exceptFiles = filesLeftOut(this.#source.contexts() ?? [], contextIds, files);
    return { files, contextIds, ...(exceptFiles.length > 0 && { exceptFiles }), skillIds: [...this.skillIds], additionalPrompt: this.#additionalPrompt.trim() };
  }

  /** What would be pinned to a chat. */
  pinned(): Pins {
    const { contextIds, skillIds, additionalPrompt } = this.along();
    return { contextIds, skillIds, additionalFiles: this.additionalFiles.sort(), additionalPrompt };
  }

  /**
   * Takes what is pinned to a chat in place of what was picked. A chat with nothing pinned leaves alone what a person picked.
   * Answers what a person had picked and is replaced, if anything.
   */
  restore({ contextIds, skillIds, additionalFiles, additionalPrompt }: Readonly<Pins>): PickedItems | null {
    const before = this.#isPristine ? null : this.#kept();
    const isNothing = contextIds.length + skillIds.length + additionalFiles.length === 0 && additionalPrompt === "";
    if (isNothing && before) return null;
    this.#take({ files: additionalFiles, contextIds: [], skillIds: [...skillIds], additionalPrompt });
    this.#switchOn(contextIds);
    this.#changed();
    this.belongToChat();
    return before && JSON.stringify(before) !== this.#text() ? before : null;
  }

  /** Takes these picks in place of all others. */
  replace(picks: PickedItems): void {
    this.#take(picks);
    this.#changed();
  }

  /** What is picked now is pinned to the open chat, and goes when another is shown. */
  belongToChat(): void {
    this.#restored = this.#text();
  }

  /** A new chat begins: what a chat brought goes, what a person picked stays, and the defaults are on. */
  begin({ contextIds, skillIds }: Defaults): void {
    const isPristine = this.#isPristine;
    if (isPristine) this.#take(NOTHING);
    this.#skillIds = [...new Set([...this.#skillIds, ...skillIds])];
    this.#switchOn(contextIds.filter((id) => !this.#contextIds.includes(id)));
    this.#changed();
    if (isPristine) this.belongToChat();
  }

  /** The contexts have been read: those that were switched on by their ids alone tick their files now. */
  onContexts(): void {
    const waiting = this.#toTick;
    if (waiting.length === 0) return;
    this.#toTick = [];
    const isPristine = this.#isPristine;
    this.#switchOn(waiting);
    this.#changed();
    if (isPristine) this.belongToChat();
  }

  /** Follows a change on disk. */
  onFiles(folders: readonly string[], all: boolean): void {
    const changed = new Set(folders);
    if (all || [...this.#files].some((path) => changed.has(path.slice(0, Math.max(0, path.lastIndexOf("/")))))) this.recount();
  }

  /** Counts again: a file, a context or a skill has changed. */
  recount(): void {
    if (this.isEmpty) {
      this.#counts.cancel();
      this.#settle(null, null);
      return;
    }
    this.#waiting ??= Promise.withResolvers<null>();
    this.#counts.ask(
      (signal) => this.#source.calculate({ ...this.#kept(), contextIds: [...this.contextIds], skillIds: [...this.skillIds] }, signal),
      (tokens) => { this.#settle(tokens, null); },
      (error) => { this.#settle(null, problemOf(error)); },
    );
  }

  /** Waits for the count that is under way, which tells what can't be sent; null where there is none. */
  counted(): Promise<null> | null {
    return this.#waiting?.promise ?? null;
  }

  #settle(tokens: Calculated | null, problem: Problem | null): void {
    this.tokens = tokens;
    this.problem = problem;
    this.#waiting?.resolve(null);
    this.#waiting = null;
  }

  #active(): PickedContext[] {
    const known = this.#source.contexts() ?? [];
    return known.filter(({ id }) => this.#contextIds.includes(id));
  }

  #switchOn(ids: readonly string[]): void {
    this.#contextIds = [...new Set([...this.#contextIds, ...ids])];
    const known = this.#source.contexts();
    if (known === null) this.#toTick = [...this.#toTick, ...ids];
    else for (const context of known) if (ids.includes(context.id)) this.#tick(context);
  }

  #tick({ files, missingFiles = [] }: PickedContext): void {
    const missing = new Set(missingFiles);
    this.#files = new Set([...this.#files, ...files.filter((path) => !missing.has(path))].slice(0, FILES_MAX));
  }

  #take({ files, contextIds, skillIds, additionalPrompt }: PickedItems): void {
    this.#files = new Set(files);
    this.#contextIds = contextIds;
    this.#skillIds = skillIds;
    this.#additionalPrompt = additionalPrompt;
    this.#toTick = [];
  }

  #changed(): void {
    remember(this.#key, this.#kept(), "tab");
    this.recount();
    this.#source.changed();
  }

  #kept(): PickedItems {
    return { files: [...this.#files], contextIds: [...this.#contextIds], skillIds: [...this.#skillIds], additionalPrompt: this.#additionalPrompt };
  }

  #text(): string {
    return JSON.stringify(this.#kept());
  }

  /** Nobody has picked anything since a chat or its defaults did. */
  get #isPristine(): boolean {
    return this.isEmpty || this.#text() === this.#restored;
  }

  get #key(): string {
    return `picked.${this.#source.projectId}`;
  }
}
