import { expect, test } from "vitest";
import type { App } from "../../app/app.svelte";
import type { Workspace } from "../../app/workspace.svelte";
import type { ReferencesClient } from "../../api";
import { RequestFailed } from "../../api/problem";
import { References } from "../state/references.svelte";
import { citingAround } from "./editor-citing";

test("why citations can't be shown as they print is told until they can", async () => {
  const detail = "There is no citation style “nonsense”.";
  const client = { citations: () => Promise.reject(new RequestFailed({ type: "about:blank", status: 422, title: "", detail })) } as unknown as ReferencesClient;
  const references = new References({ client, projectId: "p", background: () => undefined });
  const around = citingAround({} as App, { references } as Workspace);
  around.told("a.md", 2, ["gone"]);
  const { signal } = new AbortController();
  await expect(around.print("a.md", "", ["[@a]"], signal)).rejects.toThrow();
  expect(references.cited.get("a.md")).toEqual({ count: 2, unknown: ["gone"], problem: detail });
  around.told("a.md", 2, []);
  expect(references.cited.get("a.md")?.problem).toBe("");
});
