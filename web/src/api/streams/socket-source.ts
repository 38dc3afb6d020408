/**
 * Events over a socket, each message an event's name, a line's end and its JSON. A browser keeps six connections to an
 * address for all tabs together, and an EventSource holds one of them for good; sockets are not counted among them.
 */

import { pageProtocols } from "../page-secret";

/** What the streams need of a source of events. */
export interface EventSourceLike {
  addEventListener(type: string, listener: (event: MessageEvent<string>) => void): void;
  close(): void;
}

export class SocketSource implements EventSourceLike {
  readonly #socket: WebSocket;
  readonly #target = new EventTarget();

  constructor(path: string) {
    const url = new URL(path, location.href);
    url.protocol = url.protocol.replace("http", "ws");
    const socket = new WebSocket(url, pageProtocols());
    this.#socket = socket;
    socket.onopen = () => { this.#tell("open", ""); };
    socket.onmessage = ({ data }: MessageEvent<string>) => {
      const end = data.indexOf("\n");
      this.#tell(data.slice(0, end), data.slice(end + 1));
    };
    socket.onclose = () => { this.#tell("error", ""); };
  }

  addEventListener(type: string, listener: (event: MessageEvent<string>) => void): void {
    this.#target.addEventListener(type, listener as EventListener);
  }

  close(): void {
    const socket = this.#socket;
    socket.onmessage = null;
    socket.onclose = null;
    // Browsers complain of a socket that is closed before it has opened.
    if (socket.readyState === WebSocket.CONNECTING) socket.onopen = () => { socket.close(); };
    else socket.close();
  }

  #tell(type: string, data: string): void {
    this.#target.dispatchEvent(new MessageEvent(type, { data }));
  }
}
