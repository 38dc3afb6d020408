import { expect, test } from "vitest";
import { cellsOf, delimiterOf, readDelimited, sortedRows, written } from "./delimited";

const values = (text: string, delimiter = ",") => {
  const table = readDelimited(text, delimiter);
  return table.starts.map((_, row) => cellsOf(table, row).map(({ value }) => value));
};

test.each([
  ["a,b\nc,d\n", ["a", "b"], ["c", "d"]],
  ["a,b\nc,", ["a", "b"], ["c", ""]],
  ['"a,1","say ""x"""\n"two\nlines",d', ["a,1", 'say "x"'], ["two\nlines", "d"]],
  ["a\n\nb", ["a"], [""], ["b"]],
  ['a"b,"open\nc', ['a"b', '"open\nc']],
])("rows and cells of %j", (text, ...rows) => {
  expect(values(text)).toEqual(rows);
});

test.each([["a;b,c;d\n1;2;3", "x.csv", ";"], ["a,b", "x.tsv", "\t"], ['"a;b;c",d', "x.csv", ","], ["", "x.csv", ","]])("what separates the cells of %j", (text, path, delimiter) => {
  expect(delimiterOf(text, path)).toBe(delimiter);
});

test("a cell that is written anew changes nothing else, whatever is in it", () => {
  let seed = 11;
  const next = (limit: number) => (seed = (seed * 48271) % 2147483647) % limit;
  const signs = ["a", '"', ",", "\n", " ", "é", '""'];
  const word = () => Array.from({ length: next(5) }, () => signs[next(signs.length)]).join("");
  for (let round = 0; round < 400; round += 1) {
    const rows = Array.from({ length: 3 }, () => Array.from({ length: 3 }, () => `"${word().replaceAll('"', '""')}"`).join(","));
    const text = rows.join("\n");
    const table = readDelimited(text, ",");
    expect(table.starts.length).toBe(3);
    const [row, column] = [next(3), next(3)];
    const cell = cellsOf(table, row)[column];
    if (!cell) throw new Error("There is a cell.");
    const value = word();
    const after = text.slice(0, cell.from) + written(value, cell, ",") + text.slice(cell.to);
    const expected = values(text);
    expected[row]?.splice(column, 1, value);
    expect(values(after)).toEqual(expected);
  }
});

test("a column is sorted as numbers or words, what is empty last, and the text stays", () => {
  const table = readDelimited("n\n10\n9\n\nx\n-1\n", ",");
  expect([...sortedRows(table, 0, false, 1)]).toEqual([5, 2, 1, 4, 3]);
  expect([...sortedRows(table, 0, true, 1)]).toEqual([4, 1, 2, 5, 3]);
});
