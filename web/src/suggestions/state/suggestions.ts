/** Suggestions at the cursor: asks the server for them, in the words of the page, and tells what became of them. */
import { problemOf, type SuggestClient, type SuggestConfidence, type SuggestOutcome } from "../../api";
import { CONFIDENCE_SOURCES, confidenceText } from "../../core/confidence";

/** What the person wants of suggestions. */
export interface GhostSettings {
  suggest: "asked" | "pause" | "off";
  suggestPauseMs: number;
  suggestHideSeconds: number;
}

export interface GhostQuestion {
  path: string;
  prefix: string;
  suffix: string;
  language: string | null;
}

export interface GhostText {
  id: string;
  index: number;
  text: string;
  confidence: string;
}

export interface GhostAround {
  client: SuggestClient;
  projectId: string;
  settings: () => GhostSettings;
  /** Told after every answer: which instructions of the folder were left out, as nobody has said whether to follow them. */
  onUnanswered: (paths: readonly string[]) => void;
  /** Told why what somebody asked for could not be had. */
  onFailed: (why: string) => void;
}

/** High confidence 0.86, by log-probabilities; why, when it is not known. */
export function suggestionConfidence({ confidence, confidenceSource, confidenceReason }: SuggestConfidence): string {
  if (confidence === null) return confidenceReason === "" ? "Confidence unknown." : `Confidence unknown. ${confidenceReason}`;
  const source = isSource(confidenceSource) ? CONFIDENCE_SOURCES[confidenceSource] : undefined;
  return source === undefined ? confidenceText(confidence) : `${confidenceText(confidence)}, ${source}`;
}

function isSource(source: string): source is keyof typeof CONFIDENCE_SOURCES {
  return source in CONFIDENCE_SOURCES;
}

export class Ghost {
  readonly settings: () => GhostSettings;
  readonly #client: SuggestClient;
  readonly #projectId: string;
  readonly #onUnanswered: GhostAround["onUnanswered"];
  readonly #onFailed: GhostAround["onFailed"];

  constructor({ client, projectId, settings, onUnanswered, onFailed }: GhostAround) {
    this.#onFailed = onFailed;
    this.#client = client;
    this.#projectId = projectId;
    this.settings = settings;
    this.#onUnanswered = onUnanswered;
  }

  /** Tells each suggestion once it is complete, and again once more is known of it. */
  async *ask(question: GhostQuestion, signal: AbortSignal): AsyncGenerator<GhostText> {
    const told: GhostText[] = [];
    for await (const event of this.#client.ask({ projectId: this.#projectId, ...question }, signal)) {
      if (event.kind === "suggestion") {
        const { id, index, text } = event;
        told.push({ id, index, text, confidence: suggestionConfidence(event) });
        yield { id, index, text, confidence: suggestionConfidence(event) };
      } else {
        this.#onUnanswered(event.unanswered);
        for (const one of told) {
          const known = event.confidences.get(one.index);
          if (known) yield { ...one, confidence: suggestionConfidence(known) };
        }
      }
    }
  }

  failed(error: unknown): void {
    const { detail, remedy } = problemOf(error);
    this.#onFailed(`There is no suggestion. ${detail}${remedy ? ` ${remedy}` : ""}`);
  }

  outcome(id: string, outcome: SuggestOutcome): void {
    this.#client.tell(id, outcome).catch((error: unknown) => {
      // Only what is counted later lacks it: nobody is to be stopped in writing.
      console.warn("What became of a suggestion could not be told.", problemOf(error).detail);
    });
  }
}
