/** The library of references, and publishing, as typed calls. */
import type { components } from "../generated";
import { readEvents } from "./suggest";
import type { Wire } from "../wire";

type Schemas = components["schemas"];
export type ReferenceRow = Schemas["ReferenceRow"];
export type ReferencePage = Schemas["ReferencePage"];
export type Reference = Schemas["Reference"];
export type ReferenceAdded = Schemas["ReferenceAdded"];
export type ReferencesImported = Schemas["ReferencesImported"];
export type BrokenReference = Schemas["BrokenReference"];
export type ReferenceVerification = Schemas["ReferenceVerification"];
export type DocumentCitations = Schemas["DocumentCitations"];
export type ReportedQuotation = Schemas["ReportedQuotation"];
export type FoundPaper = Schemas["FoundPaper"];
export type LibraryFile = Schemas["LibraryFile"];
export type RemovedReference = Schemas["RemovedReference"];
export type DuplicateReferences = Schemas["DuplicateReferences"];
export type ImportFormat = Schemas["ReferenceImport"]["format"];
export type ReferenceSort = "best" | "author" | "year" | "title" | "key";
export type CitationsShown = Schemas["CitationsShown"];
export type ShownRun = Schemas["ShownRun"];
export type StyleRow = Schemas["StyleRow"];
export type ReturnedReport = Schemas["ReturnedReport"];
export type PublishBody = Schemas["PublishBody"];
export type PublishFormat = NonNullable<PublishBody["to"]>;
export type PublishStage = Schemas["PublishStage"];
export type PublishDone = Schemas["PublishDone"];
export type PublishEvent = { kind: "stage"; stage: PublishStage } | { kind: "done"; done: PublishDone } | { kind: "problem"; detail: string; isInTheWay: boolean };

export interface ReferenceListing {
  query: string;
  sort: ReferenceSort;
  descending: boolean;
  incomplete: boolean;
  limit: number;
  cursor?: string | undefined;
  document?: string | undefined;
}

export interface ReferenceEdit {
  fields: Record<string, string | null>;
  type?: string | null;
  newKey?: string | null;
}

export class ReferencesClient {
  readonly #wire: Wire;

  constructor(wire: Wire) {
    this.#wire = wire;
  }

  list(projectId: string, listing: ReferenceListing, signal?: AbortSignal): Promise<ReferencePage> {
    return this.#wire.json(pathOf(projectId, "references"), { query: { ...listing }, signal });
  }

  get(projectId: string, key: string, document?: string): Promise<Reference> {
    return this.#wire.json(pathOf(projectId, "references", "entry"), { query: { key, document } });
  }

  add(projectId: string, text: string, key: string): Promise<ReferenceAdded> {
    return this.#wire.json(pathOf(projectId, "references"), { method: "POST", body: { text, key } });
  }

  edit(projectId: string, key: string, change: ReferenceEdit): Promise<Reference> {
    return this.#wire.json(pathOf(projectId, "references", "entry"), { method: "PATCH", query: { key }, body: change });
  }

  remove(projectId: string, key: string): Promise<RemovedReference> {
    return this.#wire.json(pathOf(projectId, "references", "entry"), { method: "DELETE", query: { key } });
  }

  async putBack(projectId: string, removed: RemovedReference): Promise<void> {
    await this.#wire.send(pathOf(projectId, "references", "entry", "restore"), { method: "POST", body: removed });
  }

  importList(projectId: string, format: ImportFormat, text: string): Promise<ReferencesImported> {
    return this.#wire.json(pathOf(projectId, "references", "import"), { method: "POST", body: { format, text } });
  }

  importZotero(projectId: string): Promise<ReferencesImported> {
    return this.#wire.json(pathOf(projectId, "references", "import", "zotero"), { method: "POST" });
  }

  addPdf(projectId: string, file: Blob, key: string): Promise<ReferenceAdded> {
    return this.#wire.json(pathOf(projectId, "references", "pdf"), { method: "POST", query: { key }, data: file });
  }

  verify(projectId: string, key: string): Promise<ReferenceVerification> {
    return this.#wire.json(pathOf(projectId, "references", "entry", "verify"), { method: "POST", query: { key } });
  }

  report(projectId: string, document: string): Promise<DocumentCitations> {
    return this.#wire.json(pathOf(projectId, "references", "report"), { query: { document } });
  }

  async quotations(projectId: string, document: string, text: string, signal?: AbortSignal): Promise<ReportedQuotation[]> {
    return (await this.#wire.json<Schemas["QuotationList"]>(pathOf(projectId, "references", "quotations"), { method: "POST", body: { document, text }, signal })).items;
  }

  async papers(projectId: string, query: string, signal?: AbortSignal): Promise<FoundPaper[]> {
    return (await this.#wire.json<Schemas["PaperList"]>(pathOf(projectId, "references", "papers"), { query: { query }, signal })).items;
  }

  takePublished(projectId: string, key: string): Promise<Reference> {
    return this.#wire.json(pathOf(projectId, "references", "entry", "published"), { method: "POST", query: { key } });
  }

  async duplicates(projectId: string): Promise<DuplicateReferences[]> {
    return (await this.#wire.json<Schemas["DuplicateList"]>(pathOf(projectId, "references", "duplicates"))).items;
  }

  async merge(projectId: string, key: string, other: string): Promise<void> {
    await this.#wire.send(pathOf(projectId, "references", "merge"), { method: "POST", body: { key, other } });
  }

  /** How the citations of a text will print, all of them in their order. */
  citations(projectId: string, body: Schemas["CitationsBody"], signal?: AbortSignal): Promise<CitationsShown> {
    return this.#wire.json(pathOf(projectId, "citations"), { method: "POST", body, signal });
  }

  async styles(projectId: string): Promise<StyleRow[]> {
    return (await this.#wire.json<Schemas["StyleList"]>(pathOf(projectId, "citation-styles"))).items;
  }

  /** A picture of one page as it will be printed, and how many there are. */
  async preview(projectId: string, body: PublishBody, page: number, signal?: AbortSignal): Promise<{ picture: Blob; pages: number }> {
    const response = await this.#wire.send(pathOf(projectId, "publish", "preview"), { method: "POST", body: { ...body, page }, signal });
    return { picture: await response.blob(), pages: Number(response.headers.get("x-pages") ?? "1") };
  }

  /** What was changed and said in a Word document that came back; brought into its draft if that is asked for. */
  bringBack(projectId: string, body: Schemas["ReturnedBody"]): Promise<ReturnedReport> {
    return this.#wire.json(pathOf(projectId, "returned-drafts"), { method: "POST", body });
  }

  /** Publishes; what is done is told as it is done. */
  async *publish(projectId: string, body: PublishBody, signal: AbortSignal): AsyncGenerator<PublishEvent> {
    const response = await this.#wire.send(pathOf(projectId, "publish"), { method: "POST", body, signal, headers: { Accept: "text/event-stream" } });
    if (!response.body) return;
    for await (const { event, data } of readEvents(response.body)) {
      // The shape is the server's own: its types come from the same schema that wrote these bodies.
      if (event === "stage") yield { kind: "stage", stage: JSON.parse(data) as PublishStage };
      else if (event === "done") yield { kind: "done", done: JSON.parse(data) as PublishDone };
      else if (event === "problem") yield { kind: "problem", ...(JSON.parse(data) as Schemas["PublishProblem"]) };
    }
  }
}

function pathOf(projectId: string, ...parts: string[]): string {
  return ["/projects", encodeURIComponent(projectId), ...parts].join("/");
}
