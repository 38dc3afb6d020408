/** The front matter of a text as its properties: a name and its value in a row. Only shown; the text stays as it is. */
import { WidgetType } from "@codemirror/view";
import { element } from "./widgets";

export interface Property {
  name: string;
  value: string;
}

const NAMED = /^(?:"([^"\n]+)"|'([^'\n]+)'|([^\s#:'"[\]{}-][^:\n]*?))\s*:(?:\s+(.*)|)$/;
const MOST = 40;

/** What the lines between the marks say, as far as that goes in a row: lists by commas, what is nested by its lines. */
export function propertiesOf(source: string): Property[] {
  const found: { name: string; parts: string[] }[] = [];
  for (const line of source.split("\n")) {
    const named = /^\s/.test(line) ? null : NAMED.exec(line.trimEnd());
    const last = found.at(-1);
    if (named) found.push({ name: named[1] ?? named[2] ?? named[3] ?? "", parts: plain(named[4] ?? "") });
    else if (last && line.trim() !== "" && !line.trim().startsWith("#")) last.parts.push(...plain(line.trim().replace(/^-\s+/, "")));
  }
  return found.map(({ name, parts }) => ({ name, value: parts.join(", ") }));
}

function plain(value: string): string[] {
  const said = value.trim();
  // A text that begins on the next line says how its lines go together.
  if (said === "" || /^[|>][+-]?\d?$/.test(said)) return [];
  const list = /^\[(.*)\]$/.exec(said);
  if (list && !said.startsWith("[[")) return (list[1] ?? "").split(",").flatMap(plain);
  return [/^(["'])(.*)\1$/.exec(said)?.[2] ?? said];
}

export class Properties extends WidgetType {
  constructor(readonly source: string) {
    super();
  }

  override eq(other: Properties): boolean {
    return other.source === this.source;
  }

  override toDOM(): HTMLElement {
    const rows = propertiesOf(this.source);
    const shown = element("span", "cm-properties");
    shown.setAttribute("role", "group");
    shown.setAttribute("aria-label", "Front matter");
    for (const { name, value } of rows.slice(0, MOST)) {
      const row = element("span", "cm-property");
      row.append(element("span", "cm-property-name", name), " ", element("span", "cm-property-value", value));
      shown.append(row, " ");
    }
    if (rows.length === 0) shown.append(element("span", "cm-property-name", "Front matter"));
    if (rows.length > MOST) shown.append(element("span", "cm-property-name", `and ${String(rows.length - MOST)} more`));
    return shown;
  }

  override ignoreEvent(): boolean {
    return false;
  }
}
