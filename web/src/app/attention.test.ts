import { expect, test } from "vitest";
import { Attention, type SystemNotices } from "./attention.svelte";

function setUp(permission: NotificationPermission = "granted") {
  const shown: string[] = [];
  let questions = 0;
  const notices: SystemNotices = {
    permission: () => permission,
    ask: () => { questions += 1; return Promise.resolve(permission); },
    show: (title, text) => shown.push(`${title}: ${text}`),
  };
  return { attention: new Attention(notices), shown, questions: () => questions };
}

test("the title says that a tool waits, and no longer when it was answered", () => {
  const { attention } = setUp();
  attention.onWaiting(true, "Tides");
  expect(attention.titleOf("Recto")).toBe("Waiting for you · Recto");
  attention.onWaiting(false, "Tides");
  expect(attention.titleOf("Recto")).toBe("Recto");
});

test("an answer that came while the page was hidden is marked until it is seen", () => {
  const { attention } = setUp();
  attention.onFinished("Tides");
  expect(attention.titleOf("Recto")).toBe("Recto");
  attention.onVisibility(false);
  attention.onFinished("Tides");
  expect(attention.titleOf("Recto")).toBe("● Recto");
  attention.onVisibility(true);
  expect(attention.titleOf("Recto")).toBe("Recto");
});

test("the browser is asked only on switching on, and told only while hidden", async () => {
  const { attention, shown, questions } = setUp();
  attention.onVisibility(false);
  attention.onWaiting(true, "Tides");
  expect([shown, questions()]).toEqual([[], 0]);
  await attention.switch(true);
  attention.onFinished("Tides");
  attention.onVisibility(true);
  attention.onWaiting(false, "Tides");
  attention.onWaiting(true, "Tides");
  expect([shown, questions()]).toEqual([["Answered: Tides"], 1]);
});

test("a browser that forbids it leaves the switch off and says so", async () => {
  const { attention } = setUp("denied");
  await attention.switch(true);
  expect([attention.isOn, attention.isBlocked]).toEqual([false, true]);
});
