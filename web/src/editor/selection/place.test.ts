import { expect, test } from "vitest";
import { type Bounds, placeBar } from "./place";

const bounds = (given: Partial<Bounds>): Bounds => ({ top: 200, bottom: 220, left: 100, view: { top: 0, bottom: 600, width: 700 }, ...given });
const SIZE = { width: 300, height: 30 };

test.each([
  ["above the selection", bounds({}), { left: 100, top: 164 }],
  ["below it at the head of the view", bounds({ top: 10, bottom: 50 }), { left: 100, top: 56 }],
  ["below what scrolled out at the head", bounds({ top: -400, bottom: 50 }), { left: 100, top: 56 }],
  ["above what goes on below the view", bounds({ top: 500, bottom: 900 }), { left: 100, top: 464 }],
  ["at the foot when all that shows is selected", bounds({ top: -10, bottom: 900 }), { left: 100, top: 562 }],
  ["within the view's width", bounds({ left: 690 }), { left: 392, top: 164 }],
  ["at the edge of a view too narrow for it", bounds({ view: { top: 0, bottom: 600, width: 200 } }), { left: 8, top: 164 }],
])("the bar stands %s", (_where, given, place) => {
  expect(placeBar(given, SIZE)).toEqual(place);
});
