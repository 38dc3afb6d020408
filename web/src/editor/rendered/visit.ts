/** What draws one kind of syntax. */
import type { SyntaxNodeRef } from "@lezer/common";
import type { Sheet, Span } from "./sheet";

/** Draws a node on a sheet, as far as it lies in a window. False: what is inside is of no concern. */
export type Visit = (node: SyntaxNodeRef, sheet: Sheet, window: Span) => boolean;

/** Leaves a block as its source, in lines of a look. */
export function source(name: string): Visit {
  return (node, sheet, window) => {
    sheet.eachLine(node, window, (at) => {
      const look = sheet.line(at);
      look.verbatim = true;
      look.classes.add(name);
    });
    return false;
  };
}
