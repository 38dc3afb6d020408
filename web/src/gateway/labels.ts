/** What the gateway's pages say: names of doors and causes, health in words, what needs somebody. */
import type { Door, GatewayKey, Person, ServedDeployment, ServedModels, Spending } from "../api/gateway-client";
import { limitText, money } from "../core/amounts";
import { secondsText, whenText } from "../core/times";

export const DOORS: readonly { id: Door; name: string; short: string }[] = [
  { id: "anthropic-messages", name: "Anthropic Messages", short: "Anthropic" },
  { id: "openai-responses", name: "OpenAI Responses", short: "Responses" },
  { id: "openai-chat", name: "OpenAI Chat", short: "Chat" },
  { id: "gemini", name: "Gemini", short: "Gemini" },
  { id: "search", name: "Search", short: "Search" },
];

const CAUSES: Record<string, string> = {
  auth: "Provider refused our key",
  budget: "Over a limit",
  cancelled: "Client went away",
  context_length: "Prompt too long",
  failed: "Gateway failed",
  interrupted: "Gateway was ended",
  invalid_request: "Request not understood",
  network: "Provider not reached",
  not_found: "Model not found",
  overloaded: "Provider overloaded",
  quota: "Our account is used up",
  rate_limit: "Provider's rate limit",
  timeout: "Provider too slow",
  upstream: "Provider failed",
};
/** What is nobody's mistake here: shown in grey. */
const CALM = new Set(["cancelled", "invalid_request", "context_length", "budget"]);
const DAY_MS = 86_400_000;
const SOON_DAYS = 14;
const HIGH = 0.8;

export type LimitLevel = "normal" | "high" | "over";

export function causeText(cause: string): string {
  return CAUSES[cause] ?? cause.charAt(0).toUpperCase() + cause.slice(1).replaceAll("_", " ");
}

export function isCalm(cause: string): boolean {
  return CALM.has(cause);
}

export function doorsText(doors: readonly string[] | null): string {
  if (doors === null) return "all";
  return doors.map((id) => DOORS.find((door) => door.id === id)?.short ?? id).join(", ") || "none";
}

export function modelsText(models: readonly string[] | null): string {
  return models === null ? "all" : models.join(", ") || "none";
}

/** An amount that somebody set, such as $20. */
export function amountText(micros: number): string {
  return limitText((micros / 1_000_000).toFixed(6));
}

/** How much of a limit is used, between 0 and 1; null without a limit. */
export function shareOf(micros: number, limit: number | null): number | null {
  if (limit === null) return null;
  return limit === 0 ? 1 : Math.min(1, micros / limit);
}

export function levelOf(share: number): LimitLevel {
  if (share >= 1) return "over";
  return share >= HIGH ? "high" : "normal";
}

/** 0.42 s, 12 s */
export function latencyText(ms: number): string {
  return ms < 10_000 ? `${(ms / 1000).toFixed(2)} s` : secondsText(ms / 1000);
}

/** A deployment's health in words of what happened, with the state that colours it. */
export function healthText(way: ServedDeployment): { state: "on" | "idle" | "slow" | "error"; text: string } {
  switch (way.state) {
    case "resting":
      return { state: "error", text: `Left out, tries in ${secondsText(way.restsS)}` };
    case "failing":
      return { state: "slow", text: "Failed last time" };
    case "untried":
      return { state: "idle", text: "Not asked yet" };
    case "answers":
      return { state: "on", text: "Answers" };
  }
}

/** How often a deployment is the first to be asked, among those of its order. */
export function weightText(way: ServedDeployment, all: readonly ServedDeployment[]): string {
  const same = all.filter(({ order }) => order === way.order);
  const sum = same.reduce((total, { weight }) => total + weight, 0);
  const orders = [...new Set(all.map(({ order }) => order))].sort((a, b) => a - b);
  const later = orders.indexOf(way.order) > 0 ? ", if others fail" : "";
  return `${String(way.weight)} of ${String(sum)}${later}`;
}

/** When a key ends. */
export function endText(key: GatewayKey, now: number = Date.now()): string {
  if (key.revokedMs !== null) return `revoked ${whenText(key.revokedMs)}`;
  if (key.expiresMs === null) return "never";
  return key.expiresMs <= now ? `ended ${whenText(key.expiresMs)}` : new Intl.DateTimeFormat([], { day: "numeric", month: "short", year: "numeric" }).format(key.expiresMs);
}

export function isOpen(key: GatewayKey, now: number = Date.now()): boolean {
  return key.revokedMs === null && (key.expiresMs === null || key.expiresMs > now);
}

/** How an account can be used. */
export function personState(person: Person, now: number = Date.now()): { state: "on" | "idle" | "off" | "waiting"; text: string } {
  if (person.isDisabled) return { state: "off", text: "Disabled" };
  if (person.invitationEndsMs !== null) return { state: "waiting", text: `Link not used yet, ends in ${timeLeft(person.invitationEndsMs - now)}` };
  return person.canSignIn ? { state: "on", text: "Can sign in" } : { state: "idle", text: "No password yet" };
}

function timeLeft(ms: number): string {
  return daysText(Math.max(1, Math.ceil(ms / DAY_MS)));
}

export function daysText(days: number): string {
  return days === 1 ? "a day" : `${String(days)} days`;
}

/** What a program needs to find the gateway and be let in, as lines for a shell. */
export function keySettings(origin: string, secret: string): string {
  return [`ANTHROPIC_BASE_URL=${origin}`, `ANTHROPIC_AUTH_TOKEN=${secret}`, `OPENAI_BASE_URL=${origin}/v1`, `OPENAI_API_KEY=${secret}`].join("\n");
}

/** 812 bytes, 12.4 KB, 3.1 MB */
export function bytesText(count: number): string {
  if (count < 1000) return `${String(count)} bytes`;
  return count < 1_000_000 ? `${(count / 1000).toFixed(1)} KB` : `${(count / 1_000_000).toFixed(1)} MB`;
}

/** Whether one's own prompts and answers are kept. */
export function keepingText(days: number | null): string {
  return days === null ? "Your prompts and answers are not kept." : `Your prompts and answers are kept for ${daysText(days)}. Admins can read them.`;
}

export interface Attention {
  id: string;
  subject: string;
  text: string;
  section: "models" | "people" | "keys";
}

/** What an admin should look at: deployments that fail, limits nearly used up, keys that end soon. */
export function attentionOf(served: ServedModels | null, people: readonly Person[] | null, keys: readonly GatewayKey[] | null, now: number = Date.now()): Attention[] {
  return [...modelsAttention(served), ...(people ?? []).flatMap(personAttention), ...(keys ?? []).flatMap((key) => keyAttention(key, now))];
}

function modelsAttention(served: ServedModels | null): Attention[] {
  const broken: Attention = { id: "models.json", subject: "models.json", text: "can't be used as it is now. The models as they were before are served on.", section: "models" };
  const resting = (served?.models ?? []).flatMap((model) =>
    model.deployments
      .filter(({ state }) => state === "resting")
      .map((way): Attention => ({ id: way.id, subject: `${model.name} at ${way.provider}`, text: `is left out: ${way.lastFailure ?? "it failed"}`, section: "models" })),
  );
  return served?.problem ? [broken, ...resting] : resting;
}

function personAttention({ id, name, limits, spending }: Person): Attention[] {
  const limit = limits.monthlyMicros;
  if (limit === null || limit === 0 || spending.monthMicros + spending.heldMicros < limit * HIGH) return [];
  return [{ id, subject: name, text: `has used ${spentText(spending)} of ${amountText(limit)} this month.`, section: "people" }];
}

function keyAttention(key: GatewayKey, now: number): Attention[] {
  if (!isOpen(key, now) || key.expiresMs === null || key.expiresMs - now >= SOON_DAYS * DAY_MS) return [];
  return [{ id: key.id, subject: key.name || key.hint, text: `ends in ${timeLeft(key.expiresMs - now)}.`, section: "keys" }];
}

/** What was spent; unknown prices are not written as zero. */
export function spentText(spending: Spending): string {
  return spending.unpricedRequests > 0 ? `≥ ${money(spending.monthMicros)}` : money(spending.monthMicros);
}
