/** Limits as somebody types them: empty is no limit; what can't be understood is told in words. */
import type { Limits, LimitsBody } from "../../api/gateway-client";

export const AMOUNTS = ["monthly", "balance"] as const;
export const COUNTS = ["requests", "tokens", "streams"] as const;
export type LimitField = (typeof AMOUNTS)[number] | (typeof COUNTS)[number] | "models" | "map";

const DOLLAR = 1_000_000;
const MOST_DOLLARS = 10_000_000;
const MOST = 1_000_000_000_000;

export class LimitsForm {
  monthly = $state("");
  balance = $state("");
  requests = $state("");
  tokens = $state("");
  streams = $state("");
  /** Names, one a line or with commas; empty is all. */
  models = $state("");
  /** What is asked for = what is served, one a line. */
  map = $state("");

  constructor(limits?: Limits) {
    if (!limits) return;
    this.monthly = dollarsText(limits.monthlyMicros);
    this.balance = dollarsText(limits.balanceMicros === null ? null : Math.max(0, limits.balanceMicros));
    this.requests = countText(limits.requestsPerMinute);
    this.tokens = countText(limits.tokensPerMinute);
    this.streams = countText(limits.streams);
    this.models = (limits.models ?? []).join(", ");
    this.map = Object.entries(limits.modelMap).map(([asked, served]) => `${asked} = ${served}`).join("\n");
  }

  /** What is wrong with each field that can't be understood. */
  get mistakes(): Partial<Record<LimitField, string>> {
    const found: Partial<Record<LimitField, string>> = {};
    for (const field of AMOUNTS) if (Number.isNaN(microsOf(this[field]))) found[field] = "Write an amount in dollars, such as 20 or 0.50.";
    for (const field of COUNTS) if (Number.isNaN(wholeOf(this[field]))) found[field] = "Write a whole number.";
    if (pairsOf(this.map) === null) found.map = "Write one pair a line: what is asked for = what is served.";
    return found;
  }

  /** The limits that are meant; null while something can't be understood. */
  get body(): LimitsBody | null {
    if (Object.keys(this.mistakes).length > 0) return null;
    const models = namesOf(this.models);
    return {
      monthlyMicros: microsOf(this.monthly),
      balanceMicros: microsOf(this.balance),
      requestsPerMinute: wholeOf(this.requests),
      tokensPerMinute: wholeOf(this.tokens),
      streams: wholeOf(this.streams),
      models: models.length === 0 ? null : models,
      modelMap: pairsOf(this.map) ?? {},
    };
  }
}

/** Micro-dollars of what was typed; null for nothing, NaN for what is no amount. */
export function microsOf(typed: string): number | null {
  const text = typed.trim().replace(/^\$/, "").replaceAll(",", "");
  if (text === "") return null;
  if (!/^\d+(\.\d{1,6})?$/.test(text) || Number(text) > MOST_DOLLARS) return NaN;
  return Math.round(Number(text) * DOLLAR);
}

/** A whole number; 200k and 1.5M are understood, too. */
export function wholeOf(typed: string): number | null {
  const text = typed.trim().replaceAll(",", "");
  if (text === "") return null;
  const found = /^(\d+(?:\.\d+)?)([kM]?)$/.exec(text);
  const value = found ? Number(found[1]) * { "": 1, k: 1000, M: DOLLAR }[found[2] as "" | "k" | "M"] : NaN;
  return Number.isInteger(value) && value <= MOST ? value : NaN;
}

function namesOf(typed: string): string[] {
  return typed.split(/[,\n]/).map((name) => name.trim()).filter((name) => name !== "");
}

function pairsOf(typed: string): Record<string, string> | null {
  const lines = typed.split("\n").map((line) => line.trim()).filter((line) => line !== "");
  const pairs = lines.map((line) => line.split("=").map((part) => part.trim()));
  if (pairs.some((pair) => pair.length !== 2 || pair.includes(""))) return null;
  return Object.fromEntries(pairs) as Record<string, string>;
}

export function dollarsText(micros: number | null): string {
  if (micros === null) return "";
  const text = (micros / DOLLAR).toFixed(6).replace(/0{1,4}$/, "");
  return text.endsWith(".00") ? text.slice(0, -3) : text;
}

function countText(count: number | null): string {
  return count === null ? "" : String(count);
}
