/** The user's own model servers and the model files of this computer, as typed calls. */
import type { components } from "../generated";
import type { Wire } from "../wire";

type Schemas = components["schemas"];
export type OwnServer = Schemas["Server"];
export type AnsweringServer = Schemas["AnsweringServer"];
export type AnsweringModel = Schemas["AnsweringModel"];
export type LocalModelList = Schemas["LocalModelList"];
export type FetchableModel = Schemas["FetchableModel"];
export type OwnModelFile = Schemas["OwnModelFile"];

/** A server as it is to be. */
export type ServerToSave = Pick<OwnServer, "name" | "url" | "keyName"> & { models: { model: string; name: string; window: number | null }[] };

export class ServersClient {
  readonly #wire: Wire;

  constructor(wire: Wire) {
    this.#wire = wire;
  }

  list(): Promise<Schemas["ServerList"]> {
    return this.#wire.json("/servers");
  }

  /** Servers that run on this computer and are not used yet. */
  running(): Promise<Schemas["AnsweringServers"]> {
    return this.#wire.json("/servers/running");
  }

  /** What answers at an address. The key is used once and not kept. */
  look(url: string, key: string, keyName: string | null): Promise<AnsweringServer> {
    return this.#wire.json("/servers/look", { method: "POST", body: { url, key: key === "" ? null : key, keyName } });
  }

  save(id: string, server: ServerToSave): Promise<OwnServer> {
    return this.#wire.json(serverPath(id), { method: "PUT", body: { ...server, protocol: "openai-chat" } });
  }

  async remove(id: string): Promise<void> {
    await this.#wire.send(serverPath(id), { method: "DELETE" });
  }

  localModels(): Promise<LocalModelList> {
    return this.#wire.json("/local-models");
  }

  startFetch(id: string): Promise<LocalModelList> {
    return this.#wire.json(`${localPath(id)}/fetch`, { method: "POST" });
  }

  stopFetch(id: string): Promise<LocalModelList> {
    return this.#wire.json(`${localPath(id)}/fetch`, { method: "DELETE" });
  }

  addFile(path: string): Promise<OwnModelFile> {
    return this.#wire.json("/local-models", { method: "POST", body: { path } });
  }

  async removeLocal(id: string): Promise<void> {
    await this.#wire.send(localPath(id), { method: "DELETE" });
  }
}

function serverPath(id: string): string {
  return `/servers/${encodeURIComponent(id)}`;
}

function localPath(id: string): string {
  return `/local-models/${encodeURIComponent(id)}`;
}
