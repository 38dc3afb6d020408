/** The part of the server in memory that keeps the settings which hold at once. */
import type { PreferenceValues } from "../api";
import type { Asked } from "./fake-models";

export class FakePreferences {
  values: PreferenceValues = {
    editor: { suggest: "asked", suggestPauseMs: 600, suggestHideSeconds: 3, suggestModel: null, transforms: [], attachmentsFolder: "attachments", templatesFolder: "templates", dailyFolder: "daily", dailyTemplate: "" },
    chats: { review: "ask", commitAccepted: false, summarise: "offer", summariseResults: false, askAfterReading: true, steps: 50, minutes: 60 },
  };
  /** While set, the file can't be read, and this says why. */
  broken: string | null = null;
  #version = 1;

  /** Somebody else changes them. */
  change(values: PreferenceValues): void {
    this.values = values;
    this.#version += 1;
  }

  /** The answer to a request, or null when it is about something else. */
  answer({ method, path, headers, body }: Asked): Response | null {
    if (path !== "/preferences") return null;
    if (this.broken !== null) return problem(422, this.broken);
    if (method === "PUT" && headers.get("If-Match") !== this.#tag) return problem(412, "The settings have changed meanwhile.");
    if (method === "PUT") this.change(body as PreferenceValues);
    return Response.json(this.values, { headers: { ETag: this.#tag } });
  }

  get #tag(): string {
    return `"${String(this.#version)}"`;
  }
}

function problem(status: number, detail: string): Response {
  return Response.json({ type: "about:blank", title: detail, status, detail, remedy: null }, { status });
}
