import { expect, test } from "vitest";
import type { GatewayKey, Person, ServedDeployment } from "../api/gateway-client";
import { attentionOf, bytesText, causeText, doorsText, healthText, keepingText, keySettings, latencyText, levelOf, personState, shareOf, weightText } from "./labels";

const DAY = 86_400_000;
const NOW = 1_800_000_000_000;
const SPENT = { monthMicros: 0, heldMicros: 0, unpricedRequests: 0, allMicros: 0, balanceMicros: null };
const LIMITS = { balanceMicros: null, monthlyMicros: null, requestsPerMinute: null, tokensPerMinute: null, streams: null, models: null, modelMap: {} };
const ANN: Person = { id: "p1", name: "ann", role: "member", isDisabled: false, canSignIn: true, invitationEndsMs: null, createdMs: 0, limits: LIMITS, spending: SPENT, keepDays: null };
const KEY: GatewayKey = { id: "k1", accountId: "p1", name: "laptop", hint: "sk…1", doors: null, createdMs: 0, expiresMs: null, revokedMs: null, lastUsedMs: null, limits: LIMITS, spending: SPENT };
const WAY: ServedDeployment = { id: "opus#0", provider: "Lab", model: "opus-1", weight: 1, order: 0, state: "answers", restsS: 0, lastFailure: null, requests: 0, failed: 0, medianMs: null, minutes: [] };

test("a limit is amber from 80 %, red when it is used up, and a limit of nothing is used up", () => {
  expect([shareOf(5, null), shareOf(0, 0), shareOf(79, 100), shareOf(300, 100)]).toEqual([null, 1, 0.79, 1]);
  expect([levelOf(0.79), levelOf(0.8), levelOf(1)]).toEqual(["normal", "high", "over"]);
});

test("health is said in words of what happened", () => {
  expect(healthText({ ...WAY, state: "resting", restsS: 23.4 })).toEqual({ state: "error", text: "Left out, tries in 23 s" });
  expect([healthText(WAY).text, healthText({ ...WAY, state: "untried" }).text]).toEqual(["Answers", "Not asked yet"]);
});

test("the share of a deployment is among those of its order", () => {
  const ways = [{ ...WAY, weight: 3 }, { ...WAY, id: "b", weight: 1 }, { ...WAY, id: "c", order: 2, weight: 5 }];
  expect(ways.map((way) => weightText(way, ways))).toEqual(["3 of 4", "1 of 4", "5 of 5, if others fail"]);
});

test("only what needs somebody is listed", () => {
  const limited = { ...ANN, limits: { ...LIMITS, monthlyMicros: 10_000_000 } };
  const calm = attentionOf(
    { problem: null, models: [{ id: "opus", name: "Opus", askedForAs: ["opus"], deployments: [WAY] }] },
    [ANN, { ...limited, spending: { ...SPENT, monthMicros: 7_900_000 } }, { ...ANN, limits: { ...LIMITS, monthlyMicros: 0 } }],
    [KEY, { ...KEY, expiresMs: NOW + 15 * DAY }, { ...KEY, expiresMs: NOW + DAY, revokedMs: NOW }, { ...KEY, expiresMs: NOW - DAY }],
    NOW,
  );
  expect(calm).toEqual([]);
  const found = attentionOf(
    { problem: "line 3: a comma", models: [{ id: "opus", name: "Opus", askedForAs: ["opus"], deployments: [{ ...WAY, state: "resting", lastFailure: "overloaded (529)" }] }] },
    [{ ...limited, spending: { ...SPENT, monthMicros: 7_000_000, heldMicros: 1_000_000 } }],
    [{ ...KEY, expiresMs: NOW + 2 * DAY }],
    NOW,
  );
  expect(found.map(({ subject, text, section }) => [subject, text, section])).toEqual([
    ["models.json", "can't be used as it is now. The models as they were before are served on.", "models"],
    ["Opus at Lab", "is left out: overloaded (529)", "models"],
    ["ann", "has used $7.00 of $10 this month.", "people"],
    ["laptop", "ends in 2 days.", "keys"],
  ]);
});

test("an account is disabled, invited, without a password, or in use", () => {
  const states = [{ ...ANN, isDisabled: true }, { ...ANN, invitationEndsMs: NOW + 3 * DAY }, { ...ANN, canSignIn: false }, ANN].map((person) => personState(person, NOW).text);
  expect(states).toEqual(["Disabled", "Link not used yet, ends in 3 days", "No password yet", "Can sign in"]);
});

test("words for doors, causes and times", () => {
  expect([doorsText(null), doorsText([]), doorsText(["gemini", "openai-chat"])]).toEqual(["all", "none", "Gemini, Chat"]);
  expect([causeText("overloaded"), causeText("some_new_kind")]).toEqual(["Provider overloaded", "Some new kind"]);
  expect([latencyText(420), latencyText(12_400)]).toEqual(["0.42 s", "12 s"]);
});

test("whether prompts are kept is said in words, and how long they are", () => {
  expect([keepingText(null), keepingText(1), keepingText(30)]).toEqual([
    "Your prompts and answers are not kept.",
    "Your prompts and answers are kept for a day. Admins can read them.",
    "Your prompts and answers are kept for 30 days. Admins can read them.",
  ]);
  expect([bytesText(812), bytesText(12_400), bytesText(3_140_000)]).toEqual(["812 bytes", "12.4 KB", "3.1 MB"]);
});

test("what a program needs is four lines, with the whole key", () => {
  expect(keySettings("https://models.example", "sk-1").split("\n")).toEqual(["ANTHROPIC_BASE_URL=https://models.example", "ANTHROPIC_AUTH_TOKEN=sk-1", "OPENAI_BASE_URL=https://models.example/v1", "OPENAI_API_KEY=sk-1"]);
});
