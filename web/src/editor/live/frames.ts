/** The frames of the documents' socket: JSON for what is said, a small head before what Yjs encodes. */
import { readHunks, type WireHunk } from "../review";

export const KIND = { version: 0, missing: 1, edit: 2, editByAi: 3, editPasted: 4, editUndone: 5, editAccepted: 6 } as const;
const HEAD = 5;

export type Said =
  | { type: "opened"; channel: number; epoch: string }
  | { type: "refused"; channel: number; reason: string; readOnly: boolean }
  | { type: "ack"; channel: number; edits: number }
  | { type: "review"; channel: number; review: string | null; hunks: WireHunk[] }
  | { type: "state"; channel: number; saved: boolean; saving: boolean; gone: boolean; problem: string | null; needsUtf8: boolean; theirs: string | null };

export interface Frame {
  channel: number;
  kind: number;
  body: Uint8Array;
}

export function writeFrame({ channel, kind, body }: Frame): Uint8Array<ArrayBuffer> {
  const frame = new Uint8Array(HEAD + body.length);
  const head = new DataView(frame.buffer);
  head.setUint32(0, channel);
  head.setUint8(4, kind);
  frame.set(body, HEAD);
  return frame;
}

/** An edit with the name of what was accepted before it. */
export function named(name: string, body: Uint8Array): Uint8Array {
  const head = new TextEncoder().encode(name);
  const whole = new Uint8Array(head.length + body.length);
  whole.set(head);
  whole.set(body, head.length);
  return whole;
}

export function readFrame(data: ArrayBuffer): Frame {
  const head = new DataView(data);
  return { channel: head.getUint32(0), kind: head.getUint8(4), body: new Uint8Array(data, HEAD) };
}

/** Reads what the server says; a shape that is not the server's fails at once. */
export function readSaid(data: string): Said {
  const value: unknown = JSON.parse(data);
  if (typeof value !== "object" || value === null) throw new TypeError(`Not a message: ${data}`);
  const fields = new Map<string, unknown>(Object.entries(value));
  const channel = numberIn(fields, "channel");
  const type = fields.get("type");
  switch (type) {
    case "opened":
      return { type, channel, epoch: textIn(fields, "epoch") };
    case "refused":
      return { type, channel, reason: textIn(fields, "reason"), readOnly: fields.get("readOnly") === true };
    case "ack":
      return { type, channel, edits: numberIn(fields, "edits") };
    case "review":
      return { type, channel, review: fields.get("review") === null ? null : textIn(fields, "review"), hunks: readHunks(fields.get("hunks")) };
    case "state":
      return {
        type, channel, saved: fields.get("saved") === true, saving: fields.get("saving") === true, gone: fields.get("gone") === true,
        problem: fields.get("problem") === null ? null : textIn(fields, "problem"),
        needsUtf8: fields.get("needsUtf8") === true,
        theirs: fields.get("theirs") === null ? null : textIn(fields, "theirs"),
      };
    default:
      throw new TypeError(`Not a message: ${data}`);
  }
}

function textIn(fields: Map<string, unknown>, name: string): string {
  const value = fields.get(name);
  if (typeof value !== "string") throw new TypeError(`The field ${name} is not text.`);
  return value;
}

function numberIn(fields: Map<string, unknown>, name: string): number {
  const value = fields.get(name);
  if (typeof value !== "number") throw new TypeError(`The field ${name} is not a number.`);
  return value;
}
