/** The part of the server in memory that shows what would be sent. */
import type { AskPreview, Preview, PreviewPart } from "../api";
import type { Asked } from "./fake-models";

export class FakePreviews {
  /** Every message that was to be shown. */
  readonly asked: AskPreview[] = [];
  preview: Preview = preview([part("system", "system prompt", { tokens: 1800 }), part("message", "your message", { tokens: 300, text: "What is it about?" })]);
  /** Set to refuse what is asked next. */
  refusal: { status: number; detail: string } | null = null;

  /** The answer to a request, or null when it is about something else. */
  answer({ path, body }: Asked): Response | null {
    if (!/^\/projects\/[^/]+\/preview$/.test(path)) return null;
    const asked = body as AskPreview;
    this.asked.push(asked);
    if (this.refusal) return Response.json({ type: "about:blank", title: "Not possible now", remedy: "Set a key.", errors: [], ...this.refusal }, { status: this.refusal.status });
    const { parts, ...rest } = this.preview;
    return Response.json({ ...rest, parts: asked.texts ? parts : parts.map((one) => ({ ...one, text: null })) });
  }
}

/** A request of these parts. */
export function preview(parts: PreviewPart[], given: Partial<Preview> = {}): Preview {
  const sum = (counts: number[]) => counts.reduce((all, one) => all + one, 0);
  const tokens = sum(parts.map((one) => one.tokens));
  return {
    model: "anthropic/claude-sonnet-4-6",
    modelName: "Claude Sonnet 4.6",
    window: 200_000,
    tokens,
    costMicros: tokens * 3,
    costIfCachedMicros: tokens * 3,
    cachedTokens: sum(parts.filter((one) => one.isCached).map((one) => one.tokens)),
    parts,
    removed: [],
    cacheBreak: null,
    leftOut: [],
    tooLong: null,
    ...given,
  };
}

export function part(origin: PreviewPart["origin"], name: string, given: Partial<PreviewPart> = {}): PreviewPart {
  return { origin, name, reason: "Goes along", tokens: 100, costMicros: 300, state: "new", isCached: false, entryId: null, hash: name, text: `The text of ${name}.`, ...given };
}
