/** What a month cost, read when somebody looks at it and again whenever a request ends. */
import { type Client, isAbort, type Problem, problemOf, type UsageReport } from "../../api";
import { todayText } from "../../core/dates";

export class Usage {
  report = $state.raw<UsageReport | null>(null);
  problem = $state.raw<Problem | null>(null);
  loading = $state(false);
  /** Whether somebody looks at it: only then a change is worth a request. */
  shown = false;
  /** Null: this month, whichever it is. */
  #month: string | null = null;
  #running: AbortController | null = null;
  /** Months to choose from, newest first: those with requests, this one, and the one on show. */
  readonly months = $derived(monthsOf(this.report));
  readonly #client: Client;

  constructor(client: Client) {
    this.#client = client;
  }

  /** Shows a month; without one, this month. */
  async show(month: string | null = null): Promise<void> {
    this.#month = month;
    await this.#read();
  }

  async reload(): Promise<void> {
    if (this.shown) await this.#read();
  }

  async #read(): Promise<void> {
    this.#running?.abort();
    const running = new AbortController();
    this.#running = running;
    this.loading = true;
    try {
      const report = await this.#client.usage(this.#month ?? undefined, running.signal);
      if (this.#running !== running) return;
      this.report = report;
      this.problem = null;
    } catch (error) {
      if (this.#running === running && !isAbort(error)) this.problem = problemOf(error);
    } finally {
      if (this.#running === running) this.loading = false;
    }
  }
}

function monthsOf(report: UsageReport | null): string[] {
  const shown = report ? [report.month, ...report.months] : [];
  return [...new Set([todayText().slice(0, 7), ...shown])].sort().reverse();
}
