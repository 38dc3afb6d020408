import { fireEvent, render, screen } from "@testing-library/svelte";
import { expect, test } from "vitest";
import { answerEntry, userEntry } from "../../../fakes/fake-chats";
import { FakeEvents } from "../../../fakes/fake-events";
import { FakeServer } from "../../../fakes/fake-server";
import App from "../../../shell/views/App.svelte";

test("what is said is shown from anywhere in the chat, also where its answer begins in the same moment", async () => {
  const [server, events] = [new FakeServer({ "README.md": "# Tides" }), new FakeEvents()];
  server.chats.add("c1", [userEntry(1, "Why?", { turnId: "t0" }), answerEntry(2, "The moon pulls.", { turnId: "t0" })]);
  localStorage.setItem("recto.chat.p1", JSON.stringify("c1"));
  window.innerWidth = 1440;
  render(App, { options: { fetch: server.fetch, openEvents: events.open } });
  const scroller = await screen.findByRole("log");
  await screen.findByText("The moon pulls.");
  Object.defineProperties(scroller, { scrollHeight: { value: 5000 }, clientHeight: { value: 500 } });
  for (const top of [4500, 1000]) {
    scroller.scrollTop = top;
    await fireEvent.scroll(scroller);
  }
  expect(screen.queryByRole("button", { name: "Jump to the end" })).not.toBeNull();
  const step = { turnId: "t1", step: 1 };
  server.chats.tell(
    events, "c1",
    { kind: "turn", turnId: "t1", state: "running", text: "", model: null },
    { kind: "entry", entry: userEntry(3, "And the sun?") },
    { ...step, kind: "step", model: "m", modelName: "Built-in model" },
    { ...step, kind: "text", text: "It pulls, too." },
  );
  expect(await screen.findByText("It pulls, too.")).toBeTruthy();
  expect(screen.queryByRole("button", { name: "Jump to the end" })).toBeNull();
});
