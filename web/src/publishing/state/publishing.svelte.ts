/** Publishing one document: what was chosen, what its pages look like, and what has been done. */
import { isAbort, type Problem, problemOf, type PublishBody, type PublishDone, type PublishFormat, type PublishStage, type ReferencesClient, type StyleRow } from "../../api";
import { recall, remember } from "../../core/browser-storage";
import { LatestRequest } from "../../core/latest-request";

const PREVIEW_PAUSE_MS = 250;

export interface PublishChoice {
  to: PublishFormat;
  style: string;
  template: string;
  paper: "a4" | "us-letter";
  numberSections: boolean;
  contents: boolean;
  /** Whether edits that wait for review are published. */
  takesEdits: boolean;
}

const FIRST: PublishChoice = { to: "pdf", style: "", template: "article", paper: "a4", numberSections: false, contents: false, takesEdits: false };
const ENDINGS: Record<PublishFormat, string> = { pdf: "pdf", docx: "docx", html: "html", latex: "tex", odt: "odt", epub: "epub" };

export class Publishing {
  choice = $state.raw<PublishChoice>({ ...FIRST, ...(recall("publish", isChoice) ?? {}) });
  styles = $state.raw<readonly StyleRow[]>([]);
  page = $state(1);
  pages = $state(1);
  /** The picture of the page, as an address of the browser's own. */
  picture = $state<string | null>(null);
  isDrawing = $state(false);
  /** Why there is no preview. */
  unseen = $state.raw<Problem | null>(null);
  stages = $state.raw<readonly PublishStage[]>([]);
  isRunning = $state(false);
  /** Whether its dialog is open. */
  isShown = false;
  done = $state.raw<PublishDone | null>(null);
  problem = $state<string | null>(null);
  /** A file lies where the result shall lie. */
  isInTheWay = $state(false);
  readonly #drawing = new LatestRequest(PREVIEW_PAUSE_MS);
  #running: AbortController | null = null;

  constructor(
    readonly client: ReferencesClient,
    readonly projectId: string,
    readonly path: string,
  ) {}

  get target(): string {
    return `${this.path.replace(/\.[^./]+$/, "")}.${ENDINGS[this.choice.to]}`;
  }

  async start(): Promise<void> {
    this.isShown = true;
    this.draw();
    this.styles = await this.client.styles(this.projectId);
  }

  choose(change: Partial<PublishChoice>): void {
    const template = change.to !== undefined && !["article", "journal", "thesis"].includes(this.choice.template) ? { template: "article" } : {};
    this.choice = { ...this.choice, ...template, ...change };
    // A file is one of this folder; whatever else was chosen holds for all.
    remember("publish", isStyleFile(this.choice.style) ? { ...this.choice, style: "" } : this.choice);
    this.done = null;
    this.isInTheWay = false;
    this.draw();
  }

  turn(page: number): void {
    this.page = Math.min(Math.max(1, page), this.pages);
    this.draw();
  }

  /** Draws the page anew. */
  draw(): void {
    this.isDrawing = true;
    this.#drawing.ask(
      (signal) => this.client.preview(this.projectId, this.#body(false), this.page, signal),
      ({ picture, pages }) => {
        this.#show(URL.createObjectURL(picture));
        this.pages = pages;
        this.page = Math.min(this.page, pages);
        this.unseen = null;
        this.isDrawing = false;
      },
      (error) => {
        this.unseen = problemOf(error);
        this.isDrawing = false;
      },
    );
  }

  async publish(replace: boolean): Promise<void> {
    const running = new AbortController();
    this.#running = running;
    this.isRunning = true;
    this.stages = [];
    this.done = null;
    this.problem = null;
    this.isInTheWay = false;
    try {
      for await (const event of this.client.publish(this.projectId, this.#body(replace), running.signal)) {
        if (event.kind === "stage") this.stages = [...this.stages, event.stage];
        else if (event.kind === "done") this.done = event.done;
        else if (event.isInTheWay) this.isInTheWay = true;
        else this.problem = event.detail;
      }
    } catch (error) {
      if (!isAbort(error)) this.problem = problemOf(error).detail;
    } finally {
      this.isRunning = false;
    }
  }

  stop(): void {
    this.#running?.abort();
  }

  /** The dialog is closed; what runs goes on. */
  leave(): void {
    this.isShown = false;
    this.#drawing.cancel();
    this.#show(null);
  }

  #show(address: string | null): void {
    if (this.picture !== null) URL.revokeObjectURL(this.picture);
    this.picture = address;
  }

  #body(replace: boolean): PublishBody {
    return { path: this.path, output: "", replace, ...this.choice };
  }
}

export function isStyleFile(style: string): boolean {
  return style.toLowerCase().endsWith(".csl");
}

function isChoice(value: unknown): value is Partial<PublishChoice> {
  if (typeof value !== "object" || value === null) return false;
  const to = "to" in value ? value.to : "pdf";
  return typeof to === "string" && to in ENDINGS && (!("template" in value) || ["article", "journal", "thesis"].includes(String(value.template)));
}
