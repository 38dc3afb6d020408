import { expect, test } from "vitest";
import type { ReferencesClient } from "../../api";
import { Publishing } from "./publishing.svelte";

test("a style file of one folder is not asked for in another", () => {
  const client = { preview: () => new Promise(() => undefined) } as unknown as ReferencesClient;
  const publishing = new Publishing(client, "one", "a.md");
  publishing.choose({ paper: "us-letter", style: "styles/own.csl" });
  expect(publishing.choice.style).toBe("styles/own.csl");
  expect(new Publishing(client, "two", "b.md").choice).toMatchObject({ paper: "us-letter", style: "" });
  publishing.choose({ style: "ieee" });
  expect(new Publishing(client, "two", "b.md").choice.style).toBe("ieee");
  publishing.leave();
});
