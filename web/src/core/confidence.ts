/** How sure an AI is, in words. */

export type ConfidenceLevel = "high" | "medium" | "low";

export function confidenceLevel(value: number): ConfidenceLevel {
  if (value >= 0.8) return "high";
  return value >= 0.6 ? "medium" : "low";
}

const LEVELS: Record<ConfidenceLevel, string> = { high: "High", medium: "Medium", low: "Low" };

/** High confidence 0.86 */
export function confidenceText(value: number): string {
  return `${LEVELS[confidenceLevel(value)]} confidence ${value.toFixed(2)}`;
}

/** What a confidence rests on. */
export const CONFIDENCE_SOURCES = { logprobs: "by log-probabilities", heuristic: "by a heuristic", unknown: "not measured" } as const;
