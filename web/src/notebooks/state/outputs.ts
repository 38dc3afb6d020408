/** What a cell has answered, as the server tells it. */

export interface TextShown {
  readonly text: string;
  /** How many characters between the text and its tail are left out. */
  readonly omitted?: number;
  readonly tail?: string;
}

export interface StreamOutput extends TextShown {
  readonly kind: "stream";
  readonly name: "stdout" | "stderr";
}

export interface ErrorOutput extends TextShown {
  readonly kind: "error";
  readonly name: string;
}

export interface DataOutput extends TextShown {
  readonly kind: "data";
  /** The form that is shown; empty when there is none that can be. */
  readonly type: string;
  readonly isWidget: boolean;
  readonly json?: unknown;
  /** How wide a picture wants to be. */
  readonly width?: number;
  readonly size?: number;
}

export type Output = StreamOutput | ErrorOutput | DataOutput;

export interface CellAnswer {
  readonly count: number | null;
  readonly outputs: readonly Output[];
  /** The code that ran last in this kernel; null when none has. */
  readonly ran: string | null;
  readonly leftOut: number;
}

export interface RunningCell {
  readonly cell: string;
  readonly by: "person" | "ai";
  readonly seconds: number;
}

export interface KernelStatus {
  readonly name: string;
  readonly title: string;
  readonly state: "starting" | "idle" | "busy" | "dead";
  readonly whyDead: string;
  /** Whether it goes on when Recto ends. */
  readonly isKept: boolean;
  /** What it may do: all that its user may, or what the sandbox leaves it, without the network or with it. */
  readonly rights: "own" | "sandbox" | "network";
}

/** A cell that a model is writing; a new one follows another, or comes last. */
export interface CellDraft {
  readonly call: string;
  readonly cell: string | null;
  readonly after: string | null;
  readonly source: string;
}

export interface StateMessage {
  readonly type: "state";
  readonly kernel: KernelStatus | null;
  readonly running: readonly RunningCell[];
  readonly queue: readonly string[];
  readonly asked: { readonly cell: string; readonly prompt: string; readonly isPassword: boolean } | null;
  readonly stale: Readonly<Record<string, "names" | "place">>;
  readonly problem: string;
  readonly drafts: readonly CellDraft[];
}

export type FeedMessage =
  | { readonly type: "notebook"; readonly language: string; readonly cells: Readonly<Record<string, CellAnswer>> }
  | ({ readonly type: "cell"; readonly cell: string } & CellAnswer)
  | { readonly type: "append"; readonly cell: string; readonly index: number; readonly keep: number; readonly text: string }
  | StateMessage;

/** An answer after more was printed: what can still change of the text is replaced. */
export function appended(answer: CellAnswer, { index, keep, text }: { index: number; keep: number; text: string }): CellAnswer {
  const outputs = answer.outputs.map((output, at) => (at === index && output.kind === "stream" ? { ...output, text: `${clipped(output.text, keep)}${text}` } : output));
  return { ...answer, outputs };
}

/** The first characters of a text, as the server counts them: by code point. */
function clipped(text: string, count: number): string {
  // Only where a character takes two units do the two ways of counting differ.
  if (!/[\ud800-\udbff]/.test(text)) return text.slice(0, count);
  return Array.from(text).slice(0, count).join("");
}

/** What only a frame can show: it works with scripts, or has a look of its own. The look of pandas' tables is ours. */
const ONLY_IN_FRAME = /<(script|iframe|style(?! scoped>)|svg|canvas|video|audio|form|input|button)/i;

export function needsFrame(html: string): boolean {
  return ONLY_IN_FRAME.test(html);
}
