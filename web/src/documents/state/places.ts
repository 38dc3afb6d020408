/** Where the person was: every file that is shown is a step of the browser's own history, so its buttons and keys lead back. */
import { afterMove } from "../../core/paths";

export class Places {
  readonly #projectId: string;
  readonly #moves: { from: string; to: string }[] = [];

  constructor(projectId: string) {
    this.#projectId = projectId;
  }

  /** A file is shown. It is a new step, unless the history stands there already. */
  note(path: string): void {
    const now: unknown = history.state;
    if (this.pathOf(now) === path) return;
    const step: Step = { projectId: this.#projectId, path };
    // What the page was opened with becomes the first place: a step before it would lead nowhere.
    if (isStep(now)) history.pushState(step, "");
    else history.replaceState(step, "");
  }

  /** A file, or a folder, has another path now. */
  rename(from: string, to: string): void {
    this.#moves.push({ from, to });
  }

  /** The file of a step; null for a step that is none of this folder's. */
  pathOf(state: unknown): string | null {
    if (!isStep(state) || state.projectId !== this.#projectId) return null;
    return this.#moves.reduce((path, { from, to }) => afterMove(path, from, to), state.path);
  }
}

interface Step {
  projectId: string;
  path: string;
}

function isStep(state: unknown): state is Step {
  return typeof state === "object" && state !== null && "projectId" in state && typeof state.projectId === "string" && "path" in state && typeof state.path === "string";
}
