import { render, screen, within } from "@testing-library/svelte";
import { expect, test } from "vitest";
import type { ChatEntry } from "../../../api";
import { answerEntry, userEntry } from "../../../fakes/fake-chats";
import { FakeEvents } from "../../../fakes/fake-events";
import { FakeServer } from "../../../fakes/fake-server";
import App from "../../../shell/views/App.svelte";

test("a title, a summary and what was put aside are rows of their own, each with its own words, sign and look", async () => {
  window.innerWidth = 1440;
  const server = new FakeServer();
  const place = (seq: number) => ({ id: `e${String(seq)}`, seq, createdAt: 0 });
  const nothing = { files: [], numbers: [], names: [], openItems: [] };
  const entries: ChatEntry[] = [
    userEntry(1, "Why?"),
    answerEntry(2, "Because."),
    { ...place(3), kind: "title", text: "Tides", model: "m", costMicros: 12 },
    { ...place(4), kind: "summary", text: "They talked.", model: "m", costMicros: 20_000, missing: nothing },
    { ...place(5), kind: "accounting", reason: "edit", discarded: 2, fromSeq: 6, about: "e6", costMicros: 0 },
  ];
  server.chats.add("c1", entries);
  localStorage.setItem("recto.chat.p1", JSON.stringify("c1"));
  render(App, { options: { fetch: server.fetch, openEvents: new FakeEvents().open } });
  const log = within(await screen.findByRole("log"));
  const rows = [await log.findByText(/Named “Tides”/), log.getByText(/^Summary, \$0\.02/), log.getByText(/2 messages put aside by an edit/)].map((words) => words.closest(".row-note"));
  expect(rows.map((row) => row?.className.split(" ").find((name) => name !== "row-note"))).toEqual(["row-named", "row-summary", "row-accounting"]);
  expect(new Set(rows.map((row) => row?.querySelector("svg")?.innerHTML)).size).toBe(3);
});
