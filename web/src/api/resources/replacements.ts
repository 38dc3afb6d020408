/** Replacing in all files, as typed calls. */
import type { components } from "../generated";
import type { Wire } from "../wire";

type Schemas = components["schemas"];
export type ReplacementLook = Schemas["ReplacementLook"];
export type ReplacementLine = Schemas["ReplacementLine"];
export type ReplacementHit = Schemas["ReplacementHit"];
export type Replaced = Schemas["Replaced"];

export interface ReplacementOptions {
  query: string;
  replacement: string;
  regex: boolean;
  caseSensitive: boolean;
  wholeWord: boolean;
}

export class ReplacementsClient {
  readonly #wire: Wire;

  constructor(wire: Wire) {
    this.#wire = wire;
  }

  /** What would be replaced. Nothing is changed. */
  look(projectId: string, options: ReplacementOptions, signal?: AbortSignal): Promise<ReplacementLook> {
    return this.#wire.json(`${root(projectId)}/look`, { method: "POST", body: options, signal });
  }

  /** Replaces what was looked at, but for some hits by their numbers. */
  replace(projectId: string, options: ReplacementOptions, look: string, leftOut: readonly number[]): Promise<Replaced> {
    return this.#wire.json(root(projectId), { method: "POST", body: { ...options, look, leftOut } });
  }

  undo(projectId: string, id: string): Promise<Replaced> {
    return this.#wire.json(`${root(projectId)}/${encodeURIComponent(id)}/undo`, { method: "POST" });
  }
}

function root(projectId: string): string {
  return `/projects/${encodeURIComponent(projectId)}/replacements`;
}
