/** Keeps texts in step with the server over one socket. Edits are local first; offline ones follow later. */
import { type Frame, KIND, named, readFrame, readSaid, type Said, writeFrame } from "./frames";
import { Channel } from "./channel";
import { BY_AI, BY_OTHERS, LiveText, type TextStatus, type Way } from "./live-text";
import { rebased } from "./rebase";
import { Unsent, type UnsentStore } from "./unsent";

/** What is needed of a WebSocket. */
export interface SocketLike {
  binaryType: BinaryType;
  onopen: (() => void) | null;
  onmessage: ((event: { data: unknown }) => void) | null;
  onclose: (() => void) | null;
  send(data: string | Uint8Array<ArrayBuffer>): void;
  close(): void;
}

export interface SyncListener {
  onStatus(path: string, status: TextStatus): void;
}

const KIND_OF: Record<Exclude<Way, object>, number> = { typed: KIND.edit, pasted: KIND.editPasted, undone: KIND.editUndone };
const RETRY_MS = [500, 1000, 2000, 4000] as const;

export class DocumentSync {
  readonly #url: string;
  readonly #listener: SyncListener;
  readonly #open: (url: string) => SocketLike;
  readonly #store: UnsentStore | null;
  readonly #channels = new Map<number, Channel>();
  #socket: SocketLike | null = null;
  #online = false;
  #attempt = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #lastChannel = 0;
  #resting = false;

  constructor(url: string, listener: SyncListener, open: (url: string) => SocketLike, store: UnsentStore | null = null) {
    this.#store = store;
    this.#url = url;
    this.#listener = listener;
    this.#open = open;
    this.#connect();
  }

  /** The live text of a file, asked for when it is new. */
  text(path: string): LiveText {
    const known = this.#find(path);
    if (known) {
      known.wanted = true;
      return known.live;
    }
    this.#lastChannel += 1;
    const channel = new Channel(this.#lastChannel, new LiveText(path), new Unsent(this.#store, this.#url));
    this.#channels.set(channel.number, channel);
    this.#listen(channel);
    this.#ask(channel);
    return channel.live;
  }

  /** Lets go of texts that are not shown any more, once all of their edits are stored. */
  keepOnly(paths: readonly string[]): void {
    for (const channel of [...this.#channels.values()]) {
      channel.wanted = paths.includes(channel.live.path);
      this.#letGo(channel);
    }
  }

  /** A file has another path now; the server has its text under that already. */
  rename(path: string, newPath: string): void {
    const channel = this.#find(path);
    if (!channel) return;
    channel.live.path = newPath;
    this.#tell(channel, {});
  }

  save(path: string, asUtf8 = false): void {
    this.#say(path, { type: "save", asUtf8 });
  }

  resolve(path: string, choice: "mine" | "theirs"): void {
    this.#say(path, { type: "resolve", choice });
  }

  /** Brings in what was left over, by its lines; false if the same lines are others now. */
  takeLeft(path: string): boolean {
    const channel = this.#find(path);
    const left = channel?.status.left;
    if (!channel || !left || !channel.status.synced) return false;
    const places = rebased(left.base, left.mine, channel.live.content);
    if (!places) return false;
    if (places.length > 0) channel.live.change(places);
    this.#settleLeft(channel);
    return true;
  }

  /** Takes note that what was left over has been dealt with. */
  forgetLeft(path: string): void {
    const channel = this.#find(path);
    if (channel) this.#settleLeft(channel);
  }

  #settleLeft(channel: Channel): void {
    channel.unsent.settleAside(channel.edits);
    channel.unsent.stored(channel.stored);
    this.#tell(channel, {});
  }

  /** Edits of all texts that the server has not stored yet. */
  get waiting(): number {
    return [...this.#channels.values()].reduce((sum, channel) => sum + channel.status.waiting, 0);
  }

  /** Skips the pause, for when the network or the person comes back. */
  retryNow(): void {
    if (this.#timer !== undefined) this.#connect();
  }

  /** Stops knocking, because the session is over; the texts stay as they are. */
  rest(): void {
    this.#resting = true;
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  close(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const socket = this.#socket;
    this.#socket = null;
    socket?.close();
    for (const channel of this.#channels.values()) channel.live.destroy();
    this.#channels.clear();
  }

  #connect(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const socket = this.#open(this.#url);
    this.#socket = socket;
    socket.binaryType = "arraybuffer";
    socket.onopen = () => { this.#onOpen(); };
    socket.onmessage = ({ data }) => {
      if (this.#socket !== socket) return;
      if (data instanceof ArrayBuffer) this.#onFrame(readFrame(data));
      else if (typeof data === "string") this.#onSaid(readSaid(data));
    };
    socket.onclose = () => { if (this.#socket === socket) this.#onDown(); };
  }

  #onOpen(): void {
    this.#online = true;
    this.#attempt = 0;
    for (const channel of this.#channels.values()) this.#ask(channel);
  }

  #onDown(): void {
    this.#online = false;
    this.#socket = null;
    for (const channel of this.#channels.values()) this.#tell(channel, { online: false, saving: false });
    if (this.#resting) return;
    const pause = RETRY_MS[Math.min(this.#attempt, RETRY_MS.length - 1)];
    this.#attempt += 1;
    this.#timer = setTimeout(() => { this.#connect(); }, pause);
  }

  #ask(channel: Channel): void {
    channel.sent = [];
    // A page that has nothing of a text need not first hear which edits are in it.
    const whole = channel.live.epoch === null && channel.edits === 0;
    if (this.#online) this.#socket?.send(JSON.stringify({ type: "open", channel: channel.number, path: channel.live.path, whole }));
  }

  #onSaid(said: Said): void {
    const channel = this.#channels.get(said.channel);
    if (!channel) return;
    switch (said.type) {
      case "opened":
        this.#meet(channel, said.epoch);
        break;
      case "refused":
        this.#tell(channel, { refused: said.reason });
        break;
      case "ack":
        channel.stored = Math.max(channel.stored, channel.sent[said.edits - 1] ?? 0);
        channel.unsent.stored(channel.stored);
        this.#tell(channel, {});
        this.#letGo(channel);
        break;
      case "review":
        channel.live.takeReview(said.review, said.hunks);
        break;
      case "state":
        this.#tell(channel, { saved: said.saved, saving: said.saving, gone: said.gone, problem: said.problem, needsUtf8: said.needsUtf8, theirs: said.theirs });
        break;
    }
  }

  /** The server's history may be another than ours: then ours can't be merged, and what we wrote is handed out. */
  #meet(channel: Channel, epoch: string): void {
    const ours = channel.live.epoch;
    if (ours !== null && ours !== epoch) {
      channel.unsent.setAside(channel.live);
      channel.live.destroy();
      channel.live = new LiveText(channel.live.path);
      channel.stored = channel.edits;
      this.#listen(channel);
      this.#tell(channel, { synced: false });
    }
    channel.live.epoch = epoch;
    this.#tell(channel, { refused: null });
  }

  #onFrame(frame: Frame): void {
    const channel = this.#channels.get(frame.channel);
    if (!channel) return;
    if (frame.kind === KIND.version) {
      this.#send(channel, KIND.version, channel.live.version());
      if (channel.edits > channel.stored) this.#sendEdits(channel, KIND.missing, channel.live.missing(frame.body));
      this.#tell(channel, { online: true });
      return;
    }
    channel.live.apply(frame.body, frame.kind === KIND.editByAi ? BY_AI : BY_OTHERS);
    if (frame.kind !== KIND.missing) return;
    const isFirst = !channel.status.synced;
    this.#tell(channel, { synced: true, online: true });
    if (isFirst) void this.#restore(channel);
  }

  /** Brings in what an earlier page could not send. What this history can't take is handed out. */
  async #restore(channel: Channel): Promise<void> {
    await channel.restore();
    channel.unsent.stored(channel.stored);
    this.#tell(channel, {});
  }

  #listen(channel: Channel): void {
    const { live, unsent } = channel;
    live.beforeEdit(() => { unsent.before(() => live.content); });
    live.onEdit((update, way) => {
      channel.edits += 1;
      unsent.add(channel.edits, update, live);
      // Before the two have met, this edit is part of what the server is told it lacks.
      if (channel.status.online) this.#sendEdit(channel, update, way);
      this.#tell(channel, { saved: false });
    });
  }

  #sendEdit(channel: Channel, update: Uint8Array, way: Way): void {
    if (typeof way === "string") this.#sendEdits(channel, KIND_OF[way], update);
    else this.#sendEdits(channel, KIND.editAccepted, named(way.accepted, update));
  }

  #sendEdits(channel: Channel, kind: number, body: Uint8Array): void {
    channel.sent.push(channel.edits);
    this.#send(channel, kind, body);
  }

  #send(channel: Channel, kind: number, body: Uint8Array): void {
    this.#socket?.send(writeFrame({ channel: channel.number, kind, body }));
  }

  #say(path: string, message: object): void {
    const channel = this.#find(path);
    if (channel && this.#online) this.#socket?.send(JSON.stringify({ ...message, channel: channel.number }));
  }

  #letGo(channel: Channel): void {
    if (channel.wanted || channel.status.waiting > 0) return;
    if (this.#online) this.#socket?.send(JSON.stringify({ type: "close", channel: channel.number }));
    this.#channels.delete(channel.number);
    channel.live.destroy();
  }

  #tell(channel: Channel, news: Partial<TextStatus>): void {
    const aside = channel.unsent.aside;
    const left = aside && { base: aside.base, mine: aside.content };
    channel.status = { ...channel.status, ...news, waiting: channel.edits - channel.stored, left };
    this.#listener.onStatus(channel.live.path, channel.status);
  }

  #find(path: string): Channel | undefined {
    return [...this.#channels.values()].find((channel) => channel.live.path === path);
  }
}
