/** What Recto found on this computer: the checks of the doctor, each with a word and a remedy. */
import { type DoctorCheck, type DoctorReport, type Problem, problemOf } from "../../api";

export const STATE_WORDS: Record<DoctorCheck["state"], string> = { ok: "Ready", warning: "Limited", problem: "Problem" };

export class Computer {
  checks = $state.raw<readonly DoctorCheck[] | null>(null);
  problem = $state.raw<Problem | null>(null);
  checking = $state(false);
  readonly #read: () => Promise<DoctorReport>;

  constructor(read: () => Promise<DoctorReport>) {
    this.#read = read;
  }

  async check(): Promise<void> {
    if (this.checking) return;
    this.checking = true;
    try {
      this.checks = (await this.#read()).checks;
      this.problem = null;
    } catch (error) {
      this.problem = problemOf(error);
    } finally {
      this.checking = false;
    }
  }
}
