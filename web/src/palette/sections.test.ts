import { expect, test } from "vitest";
import { context } from "../fakes/fake-contexts";
import { FakeEvents } from "../fakes/fake-events";
import { FakeServer } from "../fakes/fake-server";
import { foundSkill } from "../fakes/fake-skills";
import type { App } from "../app/app.svelte";
import { createApp } from "../shell/create-app";
import { pickSections, sectionsAfter, sectionsBefore } from "./sections";
import type { PaletteSection } from "./state/palette.svelte";

async function opened(prepare: (server: FakeServer) => void = () => undefined): Promise<App> {
  const server = new FakeServer({ "README.md": "# Tides" });
  server.contexts.items = [context("x1", { name: "Manuscript", files: ["README.md"], tokenCount: 6200 })];
  server.skills.items = [...server.skills.items, foundSkill("tides", { name: "Tides" })];
  prepare(server);
  const app = createApp({ fetch: server.fetch, openEvents: new FakeEvents().open });
  app.connectActions({ focusRegion: () => undefined, enterLeftPanel: () => undefined, download: () => undefined });
  await app.start();
  await Promise.all([app.workspace?.contexts.load(), app.workspace?.skills.load(), app.workspace?.groups.load()]);
  return app;
}

const rows = (sections: PaletteSection[], name: string) => sections.find((section) => section.name === name)?.items ?? [];
const run = (sections: PaletteSection[], name: string, title: string) => { rows(sections, name).find((item) => item.title === title)?.run(); };

test("contexts and skills say their size and whether they are on", async () => {
  const app = await opened();
  const said = () => pickSections(app).flatMap(({ items }) => items).map(({ title, hint, isOn }) => [title, hint, isOn]);
  expect(said()).toEqual([["Manuscript", "6.2k", false], ["Concise", "40", false], ["Tides", "wants your trust", undefined]]);
  run(pickSections(app), "Contexts", "Manuscript");
  run(pickSections(app), "Skills", "Concise");
  expect(said().map(([, , isOn]) => isOn)).toEqual([true, true, undefined]);
  expect([...(app.workspace?.picked.files ?? [])]).toEqual(["README.md"]);
  run(pickSections(app), "Contexts", "Manuscript");
  expect([...(app.workspace?.picked.files ?? [])]).toEqual(["README.md"]);
});

test("a skill that nobody trusts yet is asked about instead of switched on", async () => {
  const app = await opened();
  run(sectionsBefore(app), "Skills", "Tides");
  expect([app.dialog, app.workspace?.skills.read?.name, app.workspace?.picked.skillIds]).toEqual(["skill-text", "Tides", []]);
});

test("a folder of chats is shown where it lies, open", async () => {
  const app = await opened();
  const { workspace } = app;
  const made = await workspace?.groups.add("Reviews", null);
  workspace?.groups.setOpen(made?.id ?? "", false);
  run(sectionsAfter(app), "Folders of chats", "Reviews");
  expect([workspace?.leftView, workspace?.chatTree.focused, workspace?.groups.isOpen(made?.id ?? "")]).toEqual(["chats", `group:${made?.id ?? ""}`, true]);
});

test("other projects are found, the open one is not", async () => {
  const app = await opened();
  expect(rows(sectionsAfter(app), "Projects").map(({ title }) => title)).toEqual(["storm-list"]);
});

test("a model is taken for a chat that has not begun", async () => {
  const app = await opened();
  await app.assistance.models.load();
  const [first] = rows(sectionsAfter(app), "Models for this chat");
  first?.run();
  expect(app.workspace?.chats.composer.model).toBe(first?.id.slice("model:".length));
});
