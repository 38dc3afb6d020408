/** The month's limit, what was spent of it and what running requests hold, in numbers and in words. */
import type { BudgetState, BudgetUpdate, Client, Problem } from "../../api";
import { problemOf } from "../../api";
import { limitText, microsOf, money, percent, unpricedText } from "../../core/amounts";

export type BudgetLevel = "normal" | "warning" | "stopped";

export class Budget {
  state = $state.raw<BudgetState | null>(null);
  problem = $state.raw<Problem | null>(null);
  readonly #client: Client;

  constructor(client: Client) {
    this.#client = client;
  }

  async load(): Promise<void> {
    try {
      this.state = await this.#client.budget();
      this.problem = null;
    } catch (error) {
      this.problem = problemOf(error);
    }
  }

  async save(change: BudgetUpdate): Promise<void> {
    this.state = await this.#client.saveBudget(change);
  }
}

/** Shares of the limit, between 0 and 1, for a meter that never overflows. */
export interface MeterShares {
  spent: number;
  held: number;
}

export function sharesOf(budget: BudgetState): MeterShares {
  const limit = budget.monthlyLimitUsd === null ? 0 : microsOf(budget.monthlyLimitUsd);
  if (limit === 0) return { spent: 0, held: 0 };
  const spent = Math.min(limit, budget.spentMicros);
  return { spent: spent / limit, held: Math.min(limit - spent, budget.heldMicros) / limit };
}

export function levelOf(budget: BudgetState): BudgetLevel {
  if (budget.isStopped) return "stopped";
  return budget.isWarning ? "warning" : "normal";
}

/** What was spent as far as prices are known; unknown when none is. */
export function spentText(budget: BudgetState): string {
  return budget.spentMicros === 0 && budget.unpricedRequests > 0 ? "unknown" : money(budget.spentMicros);
}

/** The spend after its amount, for the bar: "of $20 this month". */
export function ofLimitText(budget: BudgetState): string {
  return budget.monthlyLimitUsd === null ? "this month, no limit" : `of ${limitText(budget.monthlyLimitUsd)} this month`;
}

export const LEVEL_WORDS: Record<BudgetLevel, string> = { normal: "", warning: "Near the limit", stopped: "Limit reached" };

/** The state of the month in one line. */
export function standingText(budget: BudgetState): string {
  const held = budget.heldMicros === 0 ? "" : `, ${money(budget.heldMicros)} reserved`;
  return `${spentText(budget)} ${ofLimitText(budget)}${held}. ${unpricedText(budget.unpricedRequests)}`.trim();
}

/** Under the meter: "31 %, and $0.38 reserved by running requests". */
export function shareText(budget: BudgetState): string {
  const held = budget.heldMicros === 0 ? "" : `, and ${money(budget.heldMicros)} reserved by running requests`;
  if (budget.monthlyLimitUsd === null) return `No limit is set${held}`;
  const limit = microsOf(budget.monthlyLimitUsd);
  return `${limit === 0 ? "The limit is $0" : percent(budget.spentMicros / limit)}${held}`;
}

/** The amount at which Recto warns. */
export function warnText(budget: BudgetState): string {
  const limit = budget.monthlyLimitUsd === null ? 0 : microsOf(budget.monthlyLimitUsd);
  return limitText(((limit * budget.warnAt) / 1_000_000).toFixed(2));
}
