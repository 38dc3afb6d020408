/** Problems the server reports (RFC 9457), and the one it cannot report: that it is not there. */
import type { components } from "./generated";

export type Problem = components["schemas"]["Problem"];

/** Status of a request that never reached the server. */
export const UNREACHABLE = 0;

export class RequestFailed extends Error {
  readonly problem: Problem;

  constructor(problem: Problem, options?: ErrorOptions) {
    super(problem.detail, options);
    this.name = "RequestFailed";
    this.problem = problem;
  }

  get status(): number {
    return this.problem.status;
  }
}

/** The problem inside an expected failure; anything else is a bug and is thrown again. */
export function problemOf(error: unknown): Problem {
  if (error instanceof RequestFailed) return error.problem;
  throw error;
}

export function isAbort(error: unknown): boolean {
  return error instanceof DOMException && error.name === "AbortError";
}

export function unreachable(): Problem {
  return {
    type: "about:blank",
    title: "Recto does not answer",
    status: UNREACHABLE,
    detail: "Recto does not answer.",
    remedy: "Check that it still runs in its terminal, then try again.",
  };
}

/** Reads the problem of a failed answer; a body of another kind becomes a problem that names the status. */
export async function readProblem(response: Response): Promise<Problem> {
  const kind = response.headers.get("Content-Type") ?? "";
  if (kind.includes("json")) {
    const body: unknown = await response.json();
    if (isProblem(body)) return body;
  }
  return {
    type: "about:blank",
    title: "Unexpected answer",
    status: response.status,
    detail: `The server answered ${String(response.status)}.`,
  };
}

function isProblem(body: unknown): body is Problem {
  return (
    typeof body === "object" &&
    body !== null &&
    "status" in body &&
    typeof body.status === "number" &&
    "detail" in body &&
    typeof body.detail === "string"
  );
}
