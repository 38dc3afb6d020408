/** The settings that hold at once, as typed calls. */
import type { components } from "../generated";
import type { Wire } from "../wire";

type Schemas = components["schemas"];
export type PreferenceValues = Schemas["Preferences"];
export type EditorPreferences = Schemas["EditorPreferences"];
export type ChatPreferences = Schemas["ChatPreferences"];
export type OwnTransform = Schemas["OwnTransform"];

/** Values, and the tag that names these very ones. */
export interface TaggedPreferences {
  readonly values: PreferenceValues;
  readonly tag: string;
}

export class PreferencesClient {
  readonly #wire: Wire;

  constructor(wire: Wire) {
    this.#wire = wire;
  }

  async read(): Promise<TaggedPreferences> {
    return tagged(await this.#wire.send("/preferences"));
  }

  /** Keeps other values; fails with 412 when somebody else changed them since they were read. */
  async save(values: PreferenceValues, tag: string): Promise<TaggedPreferences> {
    return tagged(await this.#wire.send("/preferences", { method: "PUT", body: values, headers: { "If-Match": tag } }));
  }
}

async function tagged(response: Response): Promise<TaggedPreferences> {
  // The shape is the server's own: its types come from the same schema that wrote this body.
  return { values: (await response.json()) as PreferenceValues, tag: response.headers.get("ETag") ?? "" };
}
