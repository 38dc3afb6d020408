/** Which chats this browser has shown as they are now: what was said in another since is unread. */
import type { Chat } from "../../api";
import { recall, remember } from "../../core/browser-storage";

interface Marks {
  /** From when on this browser keeps count: what is older counts as read. */
  since: number;
  /** Until when each chat was read, by its last activity. */
  chats: Record<string, number>;
}

type Activity = Pick<Chat, "id" | "lastActiveAt" | "isRunning">;

export class ReadMarks {
  #marks = $state.raw<Marks>({ since: 0, chats: {} });
  readonly #key: string;

  constructor(projectId: string, now: number) {
    this.#key = `read.${projectId}`;
    const kept = recall(this.#key, isMarks);
    this.#marks = kept ?? { since: now, chats: {} };
    if (kept === null) remember(this.#key, this.#marks);
    // Another tab has shown a chat.
    window.addEventListener("storage", ({ key }) => { if (key === `recto.${this.#key}`) this.#marks = recall(this.#key, isMarks) ?? this.#marks; });
  }

  /** Whether an answer came that was not shown; one that is still being written waits. */
  isUnread({ id, lastActiveAt, isRunning }: Activity): boolean {
    return !isRunning && lastActiveAt > (this.#marks.chats[id] ?? this.#marks.since);
  }

  /** A chat was shown as it is now. */
  mark({ id, lastActiveAt }: Activity): void {
    const { since, chats } = this.#marks;
    if (lastActiveAt <= (chats[id] ?? since)) return;
    this.#marks = { since, chats: { ...recall(this.#key, isMarks)?.chats, ...chats, [id]: lastActiveAt } };
    remember(this.#key, this.#marks);
  }
}

function isMarks(value: unknown): value is Marks {
  return (
    typeof value === "object" && value !== null && "since" in value && typeof value.since === "number" &&
    "chats" in value && typeof value.chats === "object" && value.chats !== null && Object.values(value.chats).every((at) => typeof at === "number")
  );
}
