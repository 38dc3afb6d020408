/** What a server's tool answered, as parts that a page can show; only what is known to be harmless is shown as more than words. */
import type { McpToolAnswer } from "../../api";

export type AnswerPart =
  | { kind: "text"; text: string }
  | { kind: "image"; source: string; label: string }
  | { kind: "audio"; source: string; label: string }
  | { kind: "file"; source: string; label: string; type: string }
  | { kind: "resource"; uri: string; text: string }
  | { kind: "link"; uri: string; name: string; facts: string }
  | { kind: "data"; value: unknown };

const PICTURE = /^image\/(png|jpeg|gif|webp|avif|bmp|svg\+xml)$/i;
const SOUND = /^audio\/[\w.+-]+$/i;
const TYPE = /^[\w.+-]+\/[\w.+-]+$/;
const BASE64 = /^[\w+/]*={0,2}$/;
type Fields = Record<string, unknown>;

/** The parts besides plain words, which stand in the output already. */
export function answerParts({ result }: Pick<McpToolAnswer, "result">): AnswerPart[] {
  const blocks = Array.isArray(result["content"]) ? (result["content"] as unknown[]) : [];
  const parts = blocks.flatMap((block) => (isFields(block) ? (partOf(block) ?? []) : []));
  const structured = result["structuredContent"];
  return structured === undefined || structured === null ? parts : [...parts, { kind: "data", value: structured }];
}

function partOf(block: Fields): AnswerPart | null {
  switch (block["type"]) {
    case "image":
    case "audio":
      return mediaOf(text(block, "data"), text(block, "mimeType"), block["type"]);
    case "resource_link":
      return { kind: "link", uri: text(block, "uri"), name: text(block, "title") || text(block, "name"), facts: [text(block, "mimeType"), text(block, "description")].filter(Boolean).join(", ") };
    case "resource":
      return isFields(block["resource"]) ? resourceOf(block["resource"]) : null;
    default:
      return null;
  }
}

function resourceOf(resource: Fields): AnswerPart {
  const uri = text(resource, "uri");
  if (typeof resource["blob"] === "string") return mediaOf(resource["blob"], text(resource, "mimeType"), uri);
  return { kind: "resource", uri, text: text(resource, "text") };
}

function mediaOf(data: string, type: string, label: string): AnswerPart {
  const packed = data.replace(/\s/g, "");
  if (!BASE64.test(packed)) return { kind: "text", text: `${label}: it can’t be read.` };
  const source = `data:${TYPE.test(type) ? type : "application/octet-stream"};base64,${packed}`;
  if (PICTURE.test(type)) return { kind: "image", source, label };
  if (SOUND.test(type)) return { kind: "audio", source, label };
  return { kind: "file", source, label, type };
}

function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function text(fields: Fields, name: string): string {
  const value = fields[name];
  return typeof value === "string" ? value : "";
}
