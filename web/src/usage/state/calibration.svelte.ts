/** How often a person took what was offered, by how sure the AI had said to be. Read when somebody looks. */
import { type Calibration as Report, type CalibrationCurve, type Client, type Problem, problemOf } from "../../api";
import { countOf, percent } from "../../core/amounts";

/** Fewer decisions say nothing about a kind of confidence. */
export const ENOUGH = 20;

const NAMES: Record<string, string> = { logprobs: "By log-probabilities", heuristic: "By a heuristic" };

/** One range of confidence: what was said on average, and what share was taken. */
export interface CalibrationPoint {
  range: string;
  said: number;
  taken: number;
  count: number;
  accepted: number;
}

export class Calibration {
  report = $state.raw<Report | null>(null);
  problem = $state.raw<Problem | null>(null);
  readonly #client: Client;

  constructor(client: Client) {
    this.#client = client;
  }

  async load(): Promise<void> {
    try {
      this.report = await this.#client.calibration();
      this.problem = null;
    } catch (error) {
      this.problem = problemOf(error);
    }
  }
}

export function sourceName(source: string): string {
  return NAMES[source] ?? source;
}

/** The ranges with decisions in them, the least sure first. */
export function pointsOf(curve: CalibrationCurve): CalibrationPoint[] {
  return curve.bins.flatMap(({ from, to, count, accepted, mean }) =>
    mean === null || count === 0 ? [] : [{ range: `${from.toFixed(1)} to ${to.toFixed(1)}`, said: mean, taken: accepted / count, count, accepted }],
  );
}

/** How many decisions are missing for a curve; 0 when there are enough. */
export function missingOf(curve: CalibrationCurve): number {
  return Math.max(0, ENOUGH - curve.count);
}

/** What the curve says, in words: whether the AI is surer than its offers deserve. */
export function curveText(curve: CalibrationCurve): string {
  const said = pointsOf(curve).reduce((sum, point) => sum + point.said * point.count, 0) / curve.count;
  const taken = curve.accepted / curve.count;
  const gap = said - taken;
  const judgement = Math.abs(gap) <= 0.1 ? "That fits." : gap > 0 ? "It is surer than you are." : "You take more than it expects.";
  return `Said ${said.toFixed(2)} on average; you took ${percent(taken)} of ${countOf(curve.count, "offer")}. ${judgement}`;
}

export function missingText(curve: CalibrationCurve): string {
  return `${countOf(curve.count, "decision")} so far. ${countOf(missingOf(curve), "more decision")} and there is a curve.`;
}
