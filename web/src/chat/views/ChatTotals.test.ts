import { fireEvent, render, screen, within } from "@testing-library/svelte";
import { expect, test } from "vitest";
import { answerEntry, userEntry } from "../../fakes/fake-chats";
import { FakeEvents } from "../../fakes/fake-events";
import { FakeServer } from "../../fakes/fake-server";
import App from "../../shell/views/App.svelte";

test("a chat shows what it cost in all, and a message as it reads or as it was written", async () => {
  window.innerWidth = 1440;
  const server = new FakeServer({ "README.md": "# Tides" });
  const totals = { input: 9000, cacheRead: 300, cacheWrite: 0, output: 412, costMicros: 12_000, unpriced: 0, contextTokens: 0 };
  server.chats.add("c1", [userEntry(1, "Is it *so*?"), answerEntry(2, "**Yes**, it is.")], { totals });
  localStorage.setItem("recto.chat.p1", JSON.stringify("c1"));
  render(App, { options: { fetch: server.fetch, openEvents: new FakeEvents().open } });
  expect(await screen.findByText("This chat in all: 9.3k tokens in (300 from the cache), 412 out, $0.01")).toBeTruthy();
  const answer = screen.getByRole("article", { name: /^Answer/ });
  expect(answer.querySelector("strong")?.textContent).toBe("Yes");
  await fireEvent.click(within(answer).getByRole("button", { name: "Show as written" }));
  expect([within(answer).getByText("**Yes**, it is.").tagName, answer.querySelector("strong")]).toEqual(["PRE", null]);
  const asked = screen.getByRole("article", { name: "You" });
  await fireEvent.click(within(asked).getByRole("button", { name: "Show as Markdown" }));
  expect(asked.querySelector("em")?.textContent).toBe("so");
});
