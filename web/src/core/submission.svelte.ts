/** A form's way to the server: what failed, and whether somebody else's change came first. What was typed always stays. */
import { type Problem, problemOf } from "../api";

const GONE = 404;
const OUTDATED = 412;

/** What somebody else did meanwhile. */
export type Overtaken = "changed" | "deleted";

export class Submission {
  isBusy = $state(false);
  problem = $state.raw<Problem | null>(null);
  overtaken = $state<Overtaken | null>(null);

  /** Answers what the server answered; null when it refused, and the reason stands here. */
  async run<T>(work: () => Promise<T>): Promise<T | null> {
    if (this.isBusy) return null;
    this.isBusy = true;
    this.problem = null;
    this.overtaken = null;
    try {
      return await work();
    } catch (error) {
      this.#fail(problemOf(error));
      return null;
    } finally {
      this.isBusy = false;
    }
  }

  #fail(problem: Problem): void {
    if (problem.status === OUTDATED) this.overtaken = "changed";
    else if (problem.status === GONE) this.overtaken = "deleted";
    else this.problem = problem;
  }
}
