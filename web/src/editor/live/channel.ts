/** One text on the socket, and what of it the server has. */
import { type LiveText, type TextStatus, UNKNOWN } from "./live-text";
import { rebased } from "./rebase";
import { takes, type Unsent } from "./unsent";

/** One text on the socket: its channel, and which of its edits the server has stored. */
export class Channel {
  readonly number: number;
  live: LiveText;
  status: TextStatus = UNKNOWN;
  /** How many edits were made here, and how many of them are stored. */
  edits = 0;
  stored = 0;
  /** For each frame sent on this connection, how many edits it made complete. */
  sent: number[] = [];
  wanted = true;
  /** What the server lacks, kept by the browser. */
  readonly unsent: Unsent;

  constructor(number: number, live: LiveText, unsent: Unsent) {
    this.number = number;
    this.live = live;
    this.unsent = unsent;
  }

  /** Brings in what an earlier page could not send, and puts aside what this history can't take. */
  async restore(): Promise<void> {
    const { unsent, live } = this;
    for (const record of await unsent.left(live.path)) {
      if (this.live !== live || live.doc.isDestroyed) return;
      if (record.epoch === live.epoch && takes(live.doc, record.update)) live.restore(record.update);
      // What is in it already needs nobody's decision.
      else if (rebased(record.base, record.content, live.content)?.length !== 0) {
        unsent.putAside(record);
        continue;
      }
      unsent.took(record, this.edits);
    }
  }
}
