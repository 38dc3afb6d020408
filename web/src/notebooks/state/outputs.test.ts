import { expect, test } from "vitest";
import { needsFrame } from "./outputs";

test("a table of pandas is whole as it is, what has scripts or another look is offered in a frame", () => {
  expect(needsFrame("<div><style scoped> .dataframe { } </style><table><tr><td>1</td></tr></table></div>")).toBe(false);
  for (const html of ["<style>.a { color: red }</style>", "<SCRIPT>1</SCRIPT>", "<style scoped></style><iframe src=x></iframe>"]) expect(needsFrame(html)).toBe(true);
});
