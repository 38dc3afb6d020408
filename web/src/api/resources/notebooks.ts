/** Notebooks as typed calls: kernels, running cells, and where their outputs are read. */
import type { components } from "../generated";
import { queryString, ROOT, type Wire } from "../wire";
import { pageTicket } from "../page-secret";

type Schemas = components["schemas"];
export type KernelChoice = Schemas["KernelChoice"];
export type KernelVariable = Schemas["KernelVariable"];
export type KernelVariables = Schemas["KernelVariables"];
export type KernelUsage = Schemas["KernelUsage"];
export type CodeCompletions = Schemas["CodeCompletions"];
export type CodeHelp = Schemas["CodeHelp"];
export type KernelAction = Schemas["KernelOrder"]["action"];

export class NotebooksClient {
  readonly #wire: Wire;

  constructor(wire: Wire) {
    this.#wire = wire;
  }

  async kernels(projectId: string): Promise<KernelChoice[]> {
    return (await this.#wire.json<Schemas["KernelChoices"]>(`${root(projectId)}/kernels`)).items;
  }

  /** Runs cells behind those that wait; all of them without a list. */
  async run(projectId: string, path: string, cells: readonly string[] | null, restart = false): Promise<void> {
    await this.#wire.send(`${root(projectId)}/run`, { method: "POST", body: { path, cells, restart } });
  }

  async order(projectId: string, path: string, action: KernelAction, kernel: string | null = null): Promise<void> {
    await this.#wire.send(`${root(projectId)}/kernel`, { method: "POST", body: { path, action, kernel } });
  }

  /** The line that a running cell asks for. */
  async answer(projectId: string, path: string, cell: string, value: string): Promise<void> {
    await this.#wire.send(`${root(projectId)}/input`, { method: "POST", body: { path, cell, value } });
  }

  async clear(projectId: string, path: string, cells: readonly string[] | null): Promise<void> {
    await this.#wire.send(`${root(projectId)}/clear`, { method: "POST", body: { path, cells } });
  }

  variables(projectId: string, path: string): Promise<KernelVariables> {
    return this.#wire.json(`${root(projectId)}/variables`, { query: { path } });
  }

  complete(projectId: string, path: string, before: string, after: string): Promise<CodeCompletions> {
    return this.#wire.json(`${root(projectId)}/complete`, { method: "POST", body: { path, before, after } });
  }

  help(projectId: string, path: string, before: string, after: string): Promise<CodeHelp> {
    return this.#wire.json(`${root(projectId)}/help`, { method: "POST", body: { path, before, after } });
  }

  usage(projectId: string, path: string): Promise<KernelUsage> {
    return this.#wire.json(`${root(projectId)}/kernel/usage`, { query: { path } });
  }
}

function root(projectId: string): string {
  return `/projects/${encodeURIComponent(projectId)}/notebooks`;
}

/** Where a picture, the whole text or the interactive form of an output is read. */
export function outputAddress(projectId: string, form: "picture" | "text" | "frame", output: { path: string; cell: string; index: number; version?: string }): string {
  return `${ROOT}${root(projectId)}/outputs/${form}${queryString({ ...output, ...pageTicket() })}`;
}

/** Where a picture is read that a text cell carries inside. */
export function attachmentAddress(projectId: string, path: string, cell: string, name: string): string {
  return `${ROOT}${root(projectId)}/attachments/picture${queryString({ path, cell, name, ...pageTicket() })}`;
}

/** Where a page follows what the cells of a notebook answer. */
export function notebookFeedAddress(projectId: string, path: string): string {
  const scheme = location.protocol === "https:" ? "wss" : "ws";
  return `${scheme}://${location.host}${ROOT}${root(projectId)}/feed${queryString({ path })}`;
}
