import { render, screen } from "@testing-library/svelte";
import { expect, test } from "vitest";
import { chat, type Happening } from "../../../fakes/fake-chats";
import { FakeEvents } from "../../../fakes/fake-events";
import { FakeServer } from "../../../fakes/fake-server";
import App from "../../../shell/views/App.svelte";

const said = (text: string): Happening => ({ kind: "text", turnId: "t1", step: 1, text });

test("what tools a chat sends along is asked once, not with each piece of an answer", async () => {
  window.innerWidth = 1440;
  const server = new FakeServer({ "README.md": "# Tides" });
  server.chats.add("c1", [], { chat: chat("c1", { model: "google/flash" }) });
  localStorage.setItem("recto.chat.p1", JSON.stringify("c1"));
  const events = new FakeEvents();
  render(App, { options: { fetch: server.fetch, openEvents: events.open } });
  await screen.findByRole("log");
  await screen.findByRole("button", { name: "Tools: Cached" });
  const happen = (...happenings: Happening[]) => { server.chats.tell(events, "c1", ...happenings); };
  happen({ kind: "turn", turnId: "t1", state: "running", text: "", model: null }, { kind: "step", turnId: "t1", step: 1, model: "m", modelName: "Flash" }, said("The moon "));
  await screen.findByText(/The moon/);
  happen(said("pulls."));
  await screen.findByText(/The moon pulls\./);
  expect(server.asked.filter((what) => what.includes("/chats/c1/tools"))).toEqual(["GET /projects/p1/chats/c1/tools"]);
});
