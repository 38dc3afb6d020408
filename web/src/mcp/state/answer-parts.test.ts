import { expect, test } from "vitest";
import { answerParts } from "./answer-parts";

test("every kind of an answer has its part, and what is not what it says is a file or words", () => {
  const result = {
    content: [
      { type: "text", text: "plain" },
      { type: "image", data: "aGk=", mimeType: "image/png" },
      { type: "image", data: "aGk=", mimeType: "text/html" },
      { type: "audio", data: "aGk=", mimeType: "audio/wav" },
      { type: "audio", data: "\"><script>", mimeType: "audio/wav" },
      { type: "resource_link", uri: "memo://one", name: "one", mimeType: "text/plain" },
      { type: "resource", resource: { uri: "memo://two", text: "words" } },
      { type: "resource", resource: { uri: "memo://three", blob: "aGk=", mimeType: "image/svg+xml" } },
      7,
    ],
    structuredContent: { sum: 3 },
  };
  expect(answerParts({ result })).toEqual([
    { kind: "image", source: "data:image/png;base64,aGk=", label: "image" },
    { kind: "file", source: "data:text/html;base64,aGk=", label: "image", type: "text/html" },
    { kind: "audio", source: "data:audio/wav;base64,aGk=", label: "audio" },
    { kind: "text", text: "audio: it can’t be read." },
    { kind: "link", uri: "memo://one", name: "one", facts: "text/plain" },
    { kind: "resource", uri: "memo://two", text: "words" },
    { kind: "image", source: "data:image/svg+xml;base64,aGk=", label: "memo://three" },
    { kind: "data", value: { sum: 3 } },
  ]);
  expect(answerParts({ result: { content: "none" } })).toEqual([]);
});
