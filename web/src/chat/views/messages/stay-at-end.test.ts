import { expect, test } from "vitest";
import { followsAfter, type Scrolled } from "./stay-at-end";

const at = (scrollTop: number, scrollHeight: number): Scrolled => ({ scrollTop, scrollHeight, clientHeight: 500 });

test.each([
  ["the answer grew before the view came after it", true, at(500, 1000), at(500, 1200), true],
  ["the view came after it, and it has grown again", true, at(500, 1000), at(700, 1300), true],
  ["somebody scrolled up", true, at(500, 1000), at(300, 1000), false],
  ["somebody scrolled up while it grew", true, at(500, 1000), at(300, 1200), false],
  ["a part was folded and another grew", true, at(500, 1000), at(350, 900), true],
  ["somebody reads above, and it grows", false, at(300, 1000), at(300, 1200), false],
  ["somebody scrolled down, not to the end", false, at(100, 1000), at(300, 1000), false],
  ["somebody came back to the end", false, at(300, 1000), at(480, 1000), true],
])("%s", (_, followed, before, now, follows) => {
  expect(followsAfter(followed, before, now)).toBe(follows);
});
