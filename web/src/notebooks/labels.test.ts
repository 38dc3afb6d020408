import { expect, test } from "vitest";
import { errorText, notShownText, rightsText } from "./labels";
import type { KernelStatus } from "./state/outputs";

const KERNEL: KernelStatus = { name: "python3", title: "Python", state: "idle", whyDead: "", isKept: false, rights: "sandbox" };

test("an error's name is not said twice, and an error without one says what it is", () => {
  expect(errorText("ValueError", "ValueError: no: number")).toBe("no: number");
  expect(errorText("KeyboardInterrupt", "KeyboardInterrupt:")).toBe("");
  expect(errorText("", "exit: 3")).toBe("exit: 3");
});

test("a kernel says what it may do, and what is chosen for the next one when it is gone", () => {
  expect(rightsText(KERNEL, "own").text).toBe("In the sandbox");
  expect(rightsText({ ...KERNEL, state: "dead" }, "own").text).toBe("Runs with your rights");
  expect(rightsText(null, "network").text).toBe("In the sandbox, with network");
});

test("an output that can't be shown is named, and Plotly's says how it can be", () => {
  expect(notShownText("application/x-thing")).toBe("An output that can't be shown: application/x-thing.");
  expect(notShownText("application/vnd.plotly.v1+json")).toContain("HTML(fig.to_html())");
});
