/** A month of the gateway, or of an account, as the meter of the workspace's budget shows it. */
import type { BudgetState } from "../../api";
import type { Overview } from "../../api/gateway-client";

const WARN_AT = 0.8;

export function budgetOf(overview: Overview): BudgetState {
  const { limitMicros: limit, spentMicros, heldMicros } = overview;
  const used = spentMicros + heldMicros;
  return {
    month: overview.month,
    monthlyLimitUsd: limit === null ? null : (limit / 1_000_000).toFixed(6),
    warnAt: WARN_AT,
    spentMicros,
    heldMicros,
    unpricedRequests: overview.totals.unpriced,
    isWarning: limit !== null && used >= limit * WARN_AT,
    isStopped: limit !== null && used >= limit,
  };
}
