import { afterEach, expect, test, vi } from "vitest";
import { rawAddress } from "./addresses";
import { pageHeaders, pageProtocols, pageTicket, takePageSecret } from "./page-secret";
import { Wire } from "./wire";

afterEach(() => {
  localStorage.clear();
  history.replaceState(null, "", "/");
});

test("what sign-in hands over goes along with every request, and not into the history", async () => {
  history.replaceState(null, "", "/?project=p#page=abc1.def2");
  takePageSecret();
  expect(location.href.endsWith("/?project=p")).toBe(true);
  expect([pageHeaders(), pageProtocols(), pageTicket()]).toEqual([{ "X-Recto-Page": "abc1" }, ["recto", "recto.page.abc1"], { ticket: "def2" }]);
  expect(rawAddress("p", "a.png")).toBe("/api/v1/projects/p/raw?path=a.png&ticket=def2");
  const send = vi.fn<typeof fetch>(() => Promise.resolve(Response.json({})));
  const wire = new Wire({ fetch: send });
  await wire.json("/health");
  await wire.json("/chats", { method: "POST", body: {}, headers: { "If-Match": "1" } });
  expect(send.mock.calls.map(([, init]) => init?.headers)).toEqual([
    { "X-Recto-Page": "abc1" },
    { "X-Recto-Page": "abc1", "If-Match": "1", "Content-Type": "application/json" },
  ]);
});

test("another tab's sign-in counts at once, and other places in the address are left alone", () => {
  localStorage.setItem("recto.page-secret", "0a.0b");
  history.replaceState(null, "", "/#settings/models");
  takePageSecret();
  expect([location.hash, pageTicket()]).toEqual(["#settings/models", { ticket: "0b" }]);
  localStorage.setItem("recto.page-secret", "1a.1b");
  expect(pageHeaders()).toEqual({ "X-Recto-Page": "1a" });
});
