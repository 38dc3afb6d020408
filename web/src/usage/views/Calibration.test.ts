import { render, screen, within } from "@testing-library/svelte";
import axe from "axe-core";
import { expect, test } from "vitest";
import type { CalibrationCurve } from "../../api";
import { FakeEvents } from "../../fakes/fake-events";
import { FakeServer } from "../../fakes/fake-server";
import { curveText, missingText, pointsOf } from "../state/calibration.svelte";
import App from "../../shell/views/App.svelte";

const bin = (from: number, count: number, accepted: number, mean: number | null) => ({ from, to: from + 0.2, count, accepted, mean });
const curve = (source: string, bins: CalibrationCurve["bins"]): CalibrationCurve => ({ source, bins, count: bins.reduce((sum, one) => sum + one.count, 0), accepted: bins.reduce((sum, one) => sum + one.accepted, 0) });
const enough = curve("logprobs", [bin(0.4, 0, 0, null), bin(0.6, 10, 3, 0.7), bin(0.8, 30, 21, 0.9)]);
const few = curve("heuristic", [bin(0.8, 19, 1, 0.85)]);

async function opened(prepare: (server: FakeServer) => void) {
  window.innerWidth = 1440;
  history.replaceState(null, "", "/#usage");
  const server = new FakeServer({ "README.md": "" });
  prepare(server);
  render(App, { options: { fetch: server.fetch, openEvents: new FakeEvents().open } });
  return within(await screen.findByRole("region", { name: "How sure, and how often right" }));
}

test("a curve is said in words: too sure, too modest, or fitting", () => {
  expect(pointsOf(enough).map(({ range, said, taken }) => [range, said, taken])).toEqual([["0.6 to 0.8", 0.7, 0.3], ["0.8 to 1.0", 0.9, 0.7]]);
  expect(curveText(enough)).toBe("Said 0.85 on average; you took 60 % of 40 offers. It is surer than you are.");
  expect(curveText(curve("x", [bin(0.4, 20, 11, 0.5)]))).toBe("Said 0.50 on average; you took 55 % of 20 offers. That fits.");
  expect(curveText(curve("x", [bin(0.4, 20, 20, 0.5)]))).toBe("Said 0.50 on average; you took 100 % of 20 offers. You take more than it expects.");
  expect(missingText(few)).toBe("19 decisions so far. 1 more decision and there is a curve.");
});

test("the usage page shows a plot for each source, and says how many decisions are missing", async () => {
  const section = await opened((server) => { server.ai.calibration = { sources: [enough, few], count: 59 }; });
  expect(await section.findByLabelText(/^Said 0\.85 on average/)).toBeTruthy();
  expect(section.getByText("19 decisions so far. 1 more decision and there is a curve.")).toBeTruthy();
  const rows = section.getAllByRole("row").map((row) => [...row.children].map((cell) => cell.textContent));
  expect(rows).toEqual([["Confidence", "Said on average", "Taken", "Offers"], ["0.6 to 0.8", "0.70", "30 %", "10"], ["0.8 to 1.0", "0.90", "70 %", "30"]]);
});

test("the curves have no accessibility fault that a machine can find", async () => {
  await opened((server) => { server.ai.calibration = { sources: [enough, few], count: 59 }; });
  await screen.findByText(/^Said 0\.85 on average/);
  const section = document.querySelector(".calibration");
  const found = await axe.run(section ?? document.body, { rules: { "color-contrast": { enabled: false }, region: { enabled: false } } });
  expect(found.violations.map((fault) => fault.id)).toEqual([]);
});

test("without a decision it says what is needed", async () => {
  const section = await opened(() => undefined);
  expect(await section.findByText("No decisions yet. After 20 there is a curve.")).toBeTruthy();
});
