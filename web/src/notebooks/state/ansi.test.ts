import { expect, test } from "vitest";
import { ansiRuns, withoutAnsi } from "./ansi";

test("colours and marks become runs, and end where they end", () => {
  expect(ansiRuns("a\x1b[1;31mb\x1b[0mc")).toEqual([
    { text: "a", look: "", style: "" },
    { text: "b", look: "ansi-bold ansi-red", style: "" },
    { text: "c", look: "", style: "" },
  ]);
  expect(ansiRuns("\x1b[38;5;196mx\x1b[39;48;2;1;2;300my")).toEqual([
    { text: "x", look: "ansi-own", style: "--ansi: rgb(255 0 0)" },
    { text: "y", look: "", style: "background-color: rgb(1 2 255)" },
  ]);
  // On a ground of its own, a colour is not made to fit the page's.
  expect(ansiRuns("\x1b[38;5;196;44mx")).toEqual([{ text: "x", look: "ansi-on-blue", style: "color: rgb(255 0 0)" }]);
});

test("other escapes are left out", () => {
  expect(withoutAnsi("\x1b]0;title\x07a\x1b[2Kb\x1b(B")).toBe("ab");
});
