/** The server's side of the documents' socket, with one text. */
import * as Y from "yjs";
import { KIND, readFrame, writeFrame } from "./frames";
import type { SocketLike } from "./sync";

/** One text for all, acknowledged when told to. */
export class FakeTextServer {
  readonly doc = new Y.Doc();
  readonly sockets: FakeSocket[] = [];
  readonly asked: Record<string, unknown>[] = [];
  epoch = "e1";
  acknowledges = true;

  constructor(text: string) {
    this.doc.getText("text").insert(0, text);
  }

  get text(): string {
    return this.doc.getText("text").toJSON();
  }

  readonly open = (): SocketLike => {
    const socket = new FakeSocket(this);
    this.sockets.push(socket);
    return socket;
  };

  get newest(): FakeSocket {
    const socket = this.sockets.at(-1);
    if (!socket) throw new Error("nobody has connected");
    return socket;
  }
}

class FakeSocket implements SocketLike {
  binaryType: BinaryType = "blob";
  onopen: (() => void) | null = null;
  onmessage: ((event: { data: unknown }) => void) | null = null;
  onclose: (() => void) | null = null;
  edits = 0;
  /** The kinds of all edits that came. */
  readonly kinds: number[] = [];
  readonly #server: FakeTextServer;

  constructor(server: FakeTextServer) {
    this.#server = server;
  }

  send(data: string | Uint8Array<ArrayBuffer>): void {
    if (typeof data === "string") this.#onText(JSON.parse(data) as Record<string, unknown>);
    else this.#onFrame(readFrame(data.buffer));
  }

  close(): void {
    this.onclose?.();
  }

  say(message: object): void {
    this.onmessage?.({ data: JSON.stringify(message) });
  }

  pass(kind: number, body: Uint8Array): void {
    this.onmessage?.({ data: writeFrame({ channel: 1, kind, body }).buffer });
  }

  #onText(asked: Record<string, unknown>): void {
    this.#server.asked.push(asked);
    if (asked["type"] !== "open") return;
    this.say({ type: "opened", channel: 1, epoch: this.#server.epoch, ending: "lf" });
    if (asked["whole"] === true) this.pass(KIND.missing, Y.encodeStateAsUpdate(this.#server.doc));
    else this.pass(KIND.version, Y.encodeStateVector(this.#server.doc));
    this.say({ type: "state", channel: 1, saved: true, saving: false, gone: false, problem: null, theirs: null });
  }

  #onFrame({ kind, body }: { kind: number; body: Uint8Array }): void {
    if (kind === KIND.version) {
      this.pass(KIND.missing, Y.encodeStateAsUpdate(this.#server.doc, body));
      return;
    }
    Y.applyUpdate(this.#server.doc, kind === KIND.editAccepted ? body.subarray(26) : body);
    this.kinds.push(kind);
    this.edits += 1;
    if (this.#server.acknowledges) this.say({ type: "ack", channel: 1, edits: this.edits });
  }
}
