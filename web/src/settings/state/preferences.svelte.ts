/** The settings that hold at once, as the server keeps them. Until they are read, those of a new home. */
import { type ChatPreferences, type EditorPreferences, type PreferencesClient, type PreferenceValues, type Problem, problemOf, RequestFailed, type TaggedPreferences } from "../../api";

export const DEFAULT_PREFERENCES: PreferenceValues = {
  editor: { suggest: "asked", suggestPauseMs: 600, suggestHideSeconds: 3, suggestModel: null, transforms: [], attachmentsFolder: "attachments", templatesFolder: "templates", dailyFolder: "daily", dailyTemplate: "" },
  chats: { review: "ask", commitAccepted: false, summarise: "offer", summariseResults: false, askAfterReading: true, steps: 50, minutes: 60 },
};

export interface PreferenceChange {
  editor?: Partial<EditorPreferences>;
  chats?: Partial<ChatPreferences>;
}

export class Preferences {
  /** Why they can't be read or kept, such as a mistake in settings.toml. */
  problem = $state.raw<Problem | null>(null);
  #kept = $state.raw<TaggedPreferences | null>(null);
  readonly isRead = $derived(this.#kept !== null);
  readonly editor: EditorPreferences = $derived((this.#kept?.values ?? DEFAULT_PREFERENCES).editor);
  readonly chats: ChatPreferences = $derived((this.#kept?.values ?? DEFAULT_PREFERENCES).chats);
  readonly #client: PreferencesClient;
  #last: Promise<unknown> = Promise.resolve();

  constructor(client: PreferencesClient) {
    this.#client = client;
  }

  load(): Promise<void> {
    return this.#next(() => this.#load());
  }

  /** Keeps a change; whether it was kept. */
  save(change: PreferenceChange): Promise<boolean> {
    return this.#next(() => this.#save(change));
  }

  /** One request after the other, so that each knows what it changes. */
  #next<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#last.then(work);
    this.#last = done;
    return done;
  }

  async #load(): Promise<void> {
    try {
      this.#kept = await this.#client.read();
      this.problem = null;
    } catch (error) {
      this.problem = problemOf(error);
    }
  }

  async #save(change: PreferenceChange): Promise<boolean> {
    if (this.#kept === null) await this.#load();
    const kept = this.#kept;
    if (kept === null) return false;
    const { editor, chats } = kept.values;
    try {
      this.#kept = await this.#client.save({ editor: { ...editor, ...change.editor }, chats: { ...chats, ...change.chats } }, kept.tag);
      this.problem = null;
      return true;
    } catch (error) {
      if (error instanceof RequestFailed && error.status === 412) await this.#load();
      this.problem = problemOf(error);
      return false;
    }
  }
}
