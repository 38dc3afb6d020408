import { expect, test } from "vitest";
import { rangesOf } from "./search-hit";

test("every place with one of the words is found, whatever its case, and controls are passed over", () => {
  const message = document.createElement("article");
  message.innerHTML = "<p>The Tide <em>gauge</em> and the tide.</p><button>Copy the tide</button><pre>gauges</pre>";
  expect(rangesOf(message, ["tide", "Gauge", ""]).map(String)).toEqual(["Tide", "gauge", "tide", "gauge"]);
});
