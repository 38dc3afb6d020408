/** The parts of a request in words. */
import type { Preview, PreviewPart } from "../api";
import { money } from "../core/amounts";

const OWN_NAMES: readonly PreviewPart["origin"][] = ["file", "selection", "skill"];
const LEAST_MICROS = 100;

/** The name of a part as a row shows it: files and skills keep theirs, others begin with a capital. */
export function partName({ origin, name }: Pick<PreviewPart, "origin" | "name">): string {
  return OWN_NAMES.includes(origin) ? name : name.charAt(0).toUpperCase() + name.slice(1);
}

/** Why a part goes along, and how it begins if that tells it from others. */
export function partWords({ origin, reason, isCached, text }: PreviewPart): string {
  const words = isCached ? `${reason}, remembered` : reason;
  const beginning = origin === "message" || origin === "call" ? firstLine(text ?? "") : "";
  return beginning === "" ? words : `${words}: ${beginning}`;
}

/** What a part costs; amounts that nobody can read are not written out. */
export function partPrice({ costMicros }: PreviewPart, { costIfCachedMicros }: Preview): string {
  if (costMicros === null) return "unknown";
  return costMicros < LEAST_MICROS && costIfCachedMicros !== 0 ? `< ${money(LEAST_MICROS)}` : money(costMicros);
}

/** How many parts at the beginning the provider can remember. */
export function cachedParts({ parts }: Preview): number {
  const first = parts.findIndex((part) => !part.isCached);
  return first < 0 ? parts.length : first;
}

function firstLine(text: string): string {
  return (text.trimStart().split("\n", 1)[0] ?? "").slice(0, 120);
}
