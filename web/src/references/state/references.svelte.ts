/** The library of the open project: what is listed of it, and the entry that shows. */
import { type CitationsShown, type DocumentCitations, type DuplicateReferences, type FoundPaper, type ImportFormat, type LibraryFile, type Problem, problemOf, type Reference, type ReferenceAdded, type ReferenceEdit, type ReferenceRow, type ReferencesClient, type ReferencesImported, type ReferenceVerification, type ReferenceSort, type RemovedReference, type ReportedQuotation } from "../../api";
import type { Background } from "../../core/background";
import { LatestRequest } from "../../core/latest-request";

const SEARCH_PAUSE_MS = 120;
const PAGE = 200;

/** A list to be added, and what was wrong with it. */
export interface Pasted { text: string; faults: readonly string[] }

const NOTHING_PASTED: Pasted = { text: "", faults: [] };

export interface ReferencesOptions {
  client: ReferencesClient;
  projectId: string;
  background: Background;
}

export class References {
  query = $state("");
  sort = $state<ReferenceSort>("author");
  onlyIncomplete = $state(false);
  rows = $state.raw<readonly ReferenceRow[]>([]);
  total = $state(0);
  incomplete = $state(0);
  files = $state.raw<readonly LibraryFile[]>([]);
  duplicates = $state.raw<readonly DuplicateReferences[]>([]);
  isLoaded = $state(false);
  problem = $state.raw<Problem | null>(null);
  /** The entry that shows in place of the documents. */
  shown = $state.raw<Reference | null>(null);
  /** Whether the document that was opened from the entry shows beside it: its PDF. */
  isBeside = $state(false);
  /** What the dialog of adding begins with: a key that a text cites already. */
  wantedKey = $state("");
  /** The text that it begins with, and why that could not be read. */
  pasted = $state.raw<Pasted>(NOTHING_PASTED);
  /** What each text cites, as its view told, and why that can't be shown as it prints. */
  cited = $state.raw<ReadonlyMap<string, { count: number; unknown: readonly string[]; problem: string }>>(new Map());
  /** How many claims of each text have no source. */
  claims = $state.raw<ReadonlyMap<string, number>>(new Map());
  /** Counts up when the library may be another: what is drawn from it is drawn anew. */
  version = $state(0);
  readonly #client: ReferencesClient;
  readonly #projectId: string;
  readonly #background: Background;
  readonly #search = new LatestRequest(SEARCH_PAUSE_MS);
  #cursor: string | null = null;
  #isWatched = false;

  constructor({ client, projectId, background }: ReferencesOptions) {
    this.#client = client;
    this.#projectId = projectId;
    this.#background = background;
  }

  /** What the dialog of adding begins with; it does so once. */
  takePasted(): Pasted {
    const { pasted } = this;
    this.pasted = NOTHING_PASTED;
    return pasted;
  }

  /** The tab shows: the library is read, and read again when files change. */
  watch(): void {
    this.#isWatched = true;
    this.load();
  }

  type(query: string): void {
    this.query = query;
    this.load();
  }

  show(sort: ReferenceSort, onlyIncomplete: boolean): void {
    this.sort = sort;
    this.onlyIncomplete = onlyIncomplete;
    this.load();
  }

  /** Reads the list anew. */
  load(): void {
    this.#search.ask(
      async (signal) => ({
        page: await this.#client.list(this.#projectId, this.#listing(), signal),
        duplicates: await this.#client.duplicates(this.#projectId),
      }),
      ({ page, duplicates }) => {
        this.rows = page.items;
        this.total = page.total;
        this.incomplete = page.incomplete;
        this.files = page.files;
        this.duplicates = duplicates;
        this.#cursor = page.nextCursor;
        this.problem = null;
        this.isLoaded = true;
      },
      (error) => { this.problem = problemOf(error); },
    );
  }

  get hasMore(): boolean {
    return this.rows.length < this.total && this.#cursor !== null;
  }

  async more(): Promise<void> {
    if (this.#cursor === null) return;
    const cursor = this.#cursor;
    this.#cursor = null;
    const page = await this.#client.list(this.#projectId, { ...this.#listing(), cursor });
    this.rows = [...this.rows, ...page.items];
    this.#cursor = page.nextCursor;
  }

  #listing() {
    const query = this.query.trim();
    return { query, sort: query === "" ? this.sort : ("best" as const), descending: query === "" && this.sort === "year", incomplete: this.onlyIncomplete, limit: PAGE };
  }

  /** Rows for who types a key: those of a document's own bibliography, too. */
  async find(query: string, document: string, limit: number, signal?: AbortSignal): Promise<readonly ReferenceRow[]> {
    return (await this.#client.list(this.#projectId, { query, sort: "best", descending: false, incomplete: false, limit, document }, signal)).items;
  }

  entry(key: string, document?: string): Promise<Reference> {
    return this.#client.get(this.#projectId, key, document);
  }

  async open(key: string): Promise<void> {
    if (this.shown?.key !== key) this.isBeside = false;
    this.shown = await this.entry(key);
  }

  close(): void {
    this.shown = null;
    this.isBeside = false;
  }

  async add(text: string, key = ""): Promise<ReferenceAdded> {
    const added = await this.#client.add(this.#projectId, text, key);
    this.#changed();
    return added;
  }

  async importList(format: ImportFormat, text: string): Promise<ReferencesImported> {
    const told = await this.#client.importList(this.#projectId, format, text);
    this.#changed();
    return told;
  }

  async importZotero(): Promise<ReferencesImported> {
    const told = await this.#client.importZotero(this.#projectId);
    this.#changed();
    return told;
  }

  async addPdf(file: Blob, key = ""): Promise<ReferenceAdded> {
    const added = await this.#client.addPdf(this.#projectId, file, key);
    this.#changed();
    if (this.shown?.key === added.key) await this.open(added.key);
    return added;
  }

  async save(key: string, change: ReferenceEdit): Promise<Reference> {
    const saved = await this.#client.edit(this.#projectId, key, change);
    if (this.shown?.key === key) this.shown = saved;
    this.#changed();
    return saved;
  }

  async verify(key: string): Promise<ReferenceVerification> {
    const found = await this.#client.verify(this.#projectId, key);
    this.load();
    return found;
  }

  /** The entry of a preprint says what was published. */
  async takePublished(key: string): Promise<Reference> {
    const saved = await this.#client.takePublished(this.#projectId, key);
    if (this.shown?.key === key) this.shown = saved;
    this.#changed();
    return saved;
  }

  quotations(document: string, text: string, signal?: AbortSignal): Promise<ReportedQuotation[]> {
    return this.#client.quotations(this.#projectId, document, text, signal);
  }

  /** Papers that the library does not have; none where nobody may be asked. */
  async papers(query: string, signal?: AbortSignal): Promise<FoundPaper[]> {
    try {
      return await this.#client.papers(this.#projectId, query, signal);
    } catch (error) {
      if (problemOf(error).status === 409) return [];
      throw error;
    }
  }

  report(document: string): Promise<DocumentCitations> {
    return this.#client.report(this.#projectId, document);
  }

  async remove(key: string): Promise<RemovedReference> {
    const removed = await this.#client.remove(this.#projectId, key);
    if (this.shown?.key === key) this.shown = null;
    this.#changed();
    return removed;
  }

  async putBack(removed: RemovedReference): Promise<void> {
    await this.#client.putBack(this.#projectId, removed);
    this.#changed();
  }

  async merge(key: string, other: string): Promise<void> {
    await this.#client.merge(this.#projectId, key, other);
    if (this.shown?.key === other) this.shown = null;
    this.#changed();
  }

  onCited(path: string, count: number, unknown: readonly string[]): void {
    this.cited = new Map(this.cited).set(path, { count, unknown, problem: "" });
  }

  onUnprinted(path: string, problem: string): void {
    const { count, unknown } = this.cited.get(path) ?? { count: 0, unknown: [] };
    this.cited = new Map(this.cited).set(path, { count, unknown, problem });
  }

  onClaims(path: string, count: number): void {
    if ((this.claims.get(path) ?? 0) !== count) this.claims = new Map(this.claims).set(path, count);
  }

  /** How the citations of a text will print. */
  print(path: string, head: string, citations: readonly string[], signal: AbortSignal): Promise<CitationsShown> {
    return this.#client.citations(this.#projectId, { path, head, citations: [...citations] }, signal);
  }

  /** Files have changed: a library, a document that cites, or a PDF may be among them. */
  onFiles(): void {
    this.version += 1;
    if (this.#isWatched) this.load();
    const { shown } = this;
    if (shown) this.#background(this.#refresh(shown.key));
  }

  async #refresh(key: string): Promise<void> {
    try {
      const found = await this.entry(key);
      if (this.shown?.key === key) this.shown = found;
    } catch (error) {
      if (problemOf(error).status !== 404) throw error;
      if (this.shown?.key === key) this.shown = null;
    }
  }

  #changed(): void {
    this.version += 1;
    this.load();
  }
}
