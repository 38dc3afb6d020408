import { expect, test } from "vitest";
import { firstLine, firstWord } from "./parts";

function allOf(text: string, part: (rest: string) => string): string[] {
  const parts: string[] = [];
  for (let rest = text; rest !== "" && parts.length < 1000; rest = rest.slice(parts.at(-1)?.length)) parts.push(part(rest));
  return parts;
}

test.each([
  [" it also carries  discharge.", [" it", " also", " carries", "  discharge."]],
  ["ides, and the\n\n  clock’s errors (1987) ", ["ides,", " and", " the", "\n\n  clock’s", " errors", " (", "1987)", " "]],
  ["gauge.read(x)[0] += 1", ["gauge.", "read", "(", "x)", "[", "0]", " +=", " 1"]],
  ["tide-gauge K₂ [citation]", ["tide-gauge", " K₂", " [", "citation]"]],
  ["潮位は上昇する", ["潮位", "は", "上昇", "する"]],
  ["   ", ["   "]],
])("%j goes word by word", (text, words) => {
  expect(allOf(text, firstWord)).toEqual(words);
});

test("a line keeps the break before it", () => {
  expect(allOf("first\n    second\n\nlast \n", firstLine)).toEqual(["first", "\n    second", "\n\nlast ", "\n"]);
  expect(allOf("\n", firstLine)).toEqual(["\n"]);
});

test("no part loses a character, whatever the text is", () => {
  const signs = [" ", "\n", "\t", "a", "é", "漢", "字", "ส", "😀", "+", ".", "'", "(", "\u00a0", "1", "_"];
  let seed = 7;
  const random = (below: number) => {
    seed = (seed * 48_271) % 2_147_483_647;
    return seed % below;
  };
  for (let round = 0; round < 500; round += 1) {
    const text = Array.from({ length: random(30) }, () => signs[random(signs.length)] ?? "").join("");
    expect([allOf(text, firstWord).join(""), allOf(text, firstLine).join("")]).toEqual([text, text]);
  }
});
