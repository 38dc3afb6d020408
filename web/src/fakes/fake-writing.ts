/** The part of the server in memory that knows authors, versions and transforms. */
import type { AuthorshipReport, SavedVersion, TextAuthor, TextVersion, Transform, VersionTexts } from "../api";
import type { Asked } from "./fake-models";

export class FakeWriting {
  transforms: Transform[] = [
    { id: "improve", title: "Improve", argument: null },
    { id: "shorten", title: "Shorten", argument: null },
    { id: "translate", title: "Translate", argument: "Language" },
  ];
  readonly reports = new Map<string, AuthorshipReport>();
  versions: TextVersion[] = [];
  saves: SavedVersion[] = [];
  readonly texts = new Map<string, VersionTexts>();
  readonly restored: { path: string; body: unknown }[] = [];

  /** The answer to a request, or null when it is about something else. */
  answer({ method, path, query, body }: Asked): Response | null {
    if (path === "/transforms") return Response.json({ items: this.transforms });
    if (path.startsWith("/versions/") || path.startsWith("/saves/")) return this.#version(method, path, body);
    if (path.endsWith("/versions")) return Response.json({ items: this.versions, saves: this.saves });
    if (!path.endsWith("/authorship")) return null;
    const of = query.get("path") ?? "";
    return Response.json(this.reports.get(of) ?? { path: of, spans: [], authors: [], characters: 0, byAi: 0, aiEditedSince: 0 });
  }

  #version(method: string, path: string, body: unknown): Response {
    if (method === "GET") return Response.json(this.texts.get(path.split("/")[2] ?? "") ?? { before: null, after: null });
    this.restored.push({ path, body });
    return new Response(null, { status: 204 });
  }
}

export function author(given: Partial<TextAuthor> = {}): TextAuthor {
  return { kind: "typed", editId: null, chatId: null, turnId: null, model: null, promptHash: null, at: null, ...given };
}

export function version(id: string, given: Partial<TextVersion> = {}): TextVersion {
  return { id, at: 0, tool: "edit_file", model: "builtin/small", chatId: "c1", turnId: "t1", kind: "edited", status: "accepted", ...given };
}
