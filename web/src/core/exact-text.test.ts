import { expect, test } from "vitest";
import { exactText, folded } from "./exact-text";

test("letters that hide, turn or control others are written out", () => {
  expect(exactText("ls\u202e \u200b\u{e0041}\u001b[2K\r\u00ad\ufeff\u2066\u3164\u2028")).toBe(
    "ls\\u202e \\u200b\\U000e0041\\x1b[2K\\r\\xad\\ufeff\\u2066\\u3164\\u2028",
  );
  expect(exactText("a\u00a0b\u2800c\ud800")).toBe("a\\xa0b\\u2800c\\ud800");
  expect(exactText("grün 漢字 😀\n\tx y")).toBe("grün 漢字 😀\n\tx y");
});

test("what is folded away is counted", () => {
  expect(folded("one\ntwo")).toEqual({ head: "one\ntwo", more: null });
  expect(folded(`ls${"\n".repeat(41)}rm -rf .`).more).toBe("30 more lines");
  expect(folded("x".repeat(1201))).toEqual({ head: "x".repeat(1200), more: "1 more character" });
  expect(folded(`${"x".repeat(2000)}\ny`).more).toBe("1 more line");
});
