/** Amounts in words: money from whole micro-dollars, tokens, shares. Unknown is never written as zero. */

const UNKNOWN = "unknown";
const DOLLAR = 1_000_000;
const CENT = 10_000;

/** An amount such as $12.40. Under a cent, as many decimals as its first two digits need. */
export function money(micros: number): string {
  if (!Number.isFinite(micros)) return UNKNOWN;
  const sign = micros < 0 ? "−" : "";
  const size = Math.abs(Math.round(micros));
  if (size === 0 || size >= CENT) return `${sign}$${grouped(size / DOLLAR, 2)}`;
  const digits = String(size).length;
  const shown = digits <= 2 ? size : Math.round(size / 10 ** (digits - 2)) * 10 ** (digits - 2);
  return `${sign}$${(shown / DOLLAR).toFixed(6).replace(/(\.\d\d\d*?)0+$/, "$1")}`;
}

/** An amount somebody set, as short as it can be: $20, $0.50. */
export function limitText(usd: string): string {
  if (usd.trim() === "" || !Number.isFinite(Number(usd))) return UNKNOWN;
  const [whole = "0", cents = ""] = usd.split(".");
  const rest = cents.replace(/0+$/, "");
  return `$${Number(whole).toLocaleString("en")}${rest === "" ? "" : `.${rest.padEnd(2, "0")}`}`;
}

/** Micro-dollars of an amount somebody set. */
export function microsOf(usd: string): number {
  return Math.round(Number(usd) * DOLLAR);
}

/** Dollars per million tokens: $3, $0.25, $0.125. */
export function rate(usd: number): string {
  return limitText(usd.toFixed(6));
}

/** A count of tokens: 812, 18.4k, 212k, 1.2M. */
export function tokens(count: number): string {
  if (!Number.isFinite(count)) return UNKNOWN;
  if (count < 1000) return String(count);
  if (count < 999_500) return `${short(count / 1000)}k`;
  return `${short(count / 1_000_000)}M`;
}

/** The size of a context window. Providers count it in thousands or in 1,024s. */
export function windowSize(count: number): string {
  const unit = count % 1000 !== 0 && count % 1024 === 0 ? 1024 : 1000;
  if (count < unit * unit) return `${short(count / unit)}k`;
  return `${String(Math.round((count / (unit * unit)) * 100) / 100)}M`;
}

/** A share such as 31 %; never rounded up, so that 100 % means all. */
export function percent(part: number): string {
  if (!Number.isFinite(part)) return UNKNOWN;
  const whole = Math.floor(part * 100 + 1e-9);
  return part > 0 && whole === 0 ? "under 1 %" : `${String(whole)} %`;
}

export function countOf(count: number, one: string, many = `${one}s`): string {
  return `${count.toLocaleString("en")} ${count === 1 ? one : many}`;
}

/** What requests without a known price mean for a sum; empty when there are none. */
export function unpricedText(count: number): string {
  if (count === 0) return "";
  return `${countOf(count, "request has", "requests have")} no known price.`;
}

/** The cost of some requests of which the prices of a few may be unknown. */
export function costText(micros: number, unpriced: number, requests: number): string {
  if (unpriced === 0) return money(micros);
  return unpriced === requests ? "unknown" : `≥ ${money(micros)}`;
}

function grouped(value: number, decimals: number): string {
  return value.toLocaleString("en", { minimumFractionDigits: decimals, maximumFractionDigits: decimals });
}

function short(value: number): string {
  return value >= 100 ? String(Math.round(value)) : String(Math.round(value * 10) / 10);
}
