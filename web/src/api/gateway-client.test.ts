import { expect, test } from "vitest";
import { GatewayClient, overviewTableAddress, renewing } from "./gateway-client";

/** A gateway whose session has run out; `renewable`: its refresh token still holds. */
function gateway(renewable: boolean) {
  const calls: string[] = [];
  let isFresh = false;
  const send = (input: RequestInfo | URL, init?: RequestInit): Promise<Response> => {
    const path = input instanceof Request ? input.url : String(input);
    calls.push(`${init?.method ?? "GET"} ${path}`);
    if (path.endsWith("/refresh")) isFresh = renewable;
    return Promise.resolve(Response.json([], { status: isFresh ? 200 : 401 }));
  };
  return { calls, send };
}

test("a session that has run out is renewed once, however many ask", async () => {
  const { calls, send } = gateway(true);
  const client = new GatewayClient({ fetch: send, onSignedOut: () => { throw new Error("signed out"); } });
  await Promise.all([client.people(), client.keys("all"), client.keys("own")]);
  expect(calls.filter((call) => call.includes("refresh"))).toEqual(["POST /api/v1/session/refresh"]);
  expect(calls.slice(-3).sort()).toEqual(["GET /api/v1/admin/keys", "GET /api/v1/keys", "GET /api/v1/people"]);
});

test("another tab's renewal is enough", async () => {
  const { calls, send } = gateway(true);
  let asked = 0;
  const shared = renewing((input, init) => {
    asked += 1;
    // The other tab is done by the time this one has its turn.
    return asked === 2 ? Promise.resolve(new Response("{}", { status: 200 })) : send(input, init);
  });
  await shared("/api/v1/keys");
  expect(calls).toEqual(["GET /api/v1/keys", "GET /api/v1/keys"]);
});

test("whoever is signed out is told so", async () => {
  const { send } = gateway(false);
  let ended = 0;
  const client = new GatewayClient({ fetch: send, onSignedOut: () => { ended += 1; } });
  await expect(client.me()).rejects.toThrow();
  expect(ended).toBe(1);
});

test("a table is had for the same period as the figures", () => {
  expect(overviewTableAddress("all", { days: 90 })).toBe("/api/v1/overview.csv?days=90");
  expect(overviewTableAddress("own", { month: "2026-11" })).toBe("/api/v1/usage/overview.csv?month=2026-11");
});
