/** The form of the budget: what is typed, what is wrong with it, and what it means. */
import type { BudgetState, BudgetUpdate } from "../../api";

const AMOUNT = /^\d{1,7}(\.\d{1,6})?$/;

export class BudgetForm {
  hasLimit = $state(true);
  limit = $state("");
  warnAt = $state("");
  touched = $state(false);
  readonly amount = $derived(readAmount(this.limit));
  readonly share = $derived(readShare(this.warnAt));
  readonly limitError = $derived(this.hasLimit && this.amount === null ? "Write an amount in dollars, such as 20 or 0.50. At most six decimals." : "");
  readonly warnError = $derived(this.hasLimit && this.share === null ? "Write a whole number from 1 to 100." : "");
  readonly change: BudgetUpdate | null = $derived(this.#change());
  #stored: BudgetState | null = null;

  /** Takes over what the server holds, unless somebody is typing. */
  follow(budget: BudgetState): void {
    this.#stored = budget;
    if (this.touched) return;
    this.hasLimit = budget.monthlyLimitUsd !== null;
    this.limit = budget.monthlyLimitUsd ?? this.limit;
    this.warnAt = String(Math.round(budget.warnAt * 100));
  }

  /** Puts the stored values back. */
  reset(): void {
    this.touched = false;
    if (this.#stored) this.follow(this.#stored);
  }

  #change(): BudgetUpdate | null {
    if (this.hasLimit) return this.amount === null || this.share === null ? null : { monthlyLimitUsd: this.amount, warnAt: this.share };
    return { monthlyLimitUsd: null, warnAt: this.share ?? this.#stored?.warnAt ?? 0.8 };
  }
}

/** An amount as the server takes it, or null when it is none. */
export function readAmount(text: string): string | null {
  const bare = text.trim().replace(/^\$\s*/, "").replace(/^\./, "0.");
  return AMOUNT.test(bare) ? bare : null;
}

/** A whole percentage as a share, or null when it is none. */
export function readShare(text: string): number | null {
  const bare = text.trim().replace(/\s*%$/, "");
  const value = /^\d{1,3}$/.test(bare) ? Number(bare) : 0;
  return value >= 1 && value <= 100 ? value / 100 : null;
}
