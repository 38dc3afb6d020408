/** A form made from the schema by which an MCP server asks: one field for each of its flat properties. */

export interface FormOption {
  value: string;
  label: string;
}

interface FieldBase {
  name: string;
  label: string;
  hint: string;
  isRequired: boolean;
}

export type FormField = FieldBase &
  (
    | { kind: "text"; format: string; shortest: number; longest: number | null }
    | { kind: "number"; isWhole: boolean; least: number | null; most: number | null }
    | { kind: "yes" }
    | { kind: "choice"; options: readonly FormOption[] }
    | { kind: "choices"; options: readonly FormOption[]; least: number; most: number | null }
  );

export type FormValue = string | boolean | readonly string[];
export type FormContent = Record<string, string | number | boolean | string[]>;
type Schema = Readonly<Record<string, unknown>>;

export class ElicitationForm {
  readonly fields: readonly FormField[];
  values = $state<Record<string, FormValue>>({});
  /** What is wrong with a field, once it was to be sent. */
  problems = $state.raw<Readonly<Record<string, string>>>({});

  constructor(schema: Schema) {
    const required = textsOf(schema["required"]);
    const properties = Object.entries(recordOf(schema["properties"]));
    this.fields = properties.map(([name, property]) => fieldOf(name, recordOf(property), required.includes(name)));
    this.values = Object.fromEntries(properties.map(([name, property], at) => [name, firstValue(this.fields[at], recordOf(property)["default"])]));
  }

  /** What goes to the server; null while something is missing or wrong, and the fields say what. */
  content(): FormContent | null {
    const content: FormContent = {};
    const problems: Record<string, string> = {};
    for (const field of this.fields) {
      const value = this.values[field.name] ?? "";
      const problem = problemWith(field, value);
      if (problem !== null) problems[field.name] = problem;
      else if (!isLeftOut(field, value)) content[field.name] = sent(field, value);
    }
    this.problems = problems;
    return Object.keys(problems).length === 0 ? content : null;
  }
}

function fieldOf(name: string, property: Schema, isRequired: boolean): FormField {
  const base = { name, label: textOf(property["title"]) || name, hint: textOf(property["description"]), isRequired };
  const type = textOf(property["type"]);
  if (type === "boolean") return { ...base, kind: "yes" };
  if (type === "array") return { ...base, kind: "choices", options: optionsOf(recordOf(property["items"])), least: numberOf(property["minItems"]) ?? 0, most: numberOf(property["maxItems"]) };
  if (type === "number" || type === "integer") return { ...base, kind: "number", isWhole: type === "integer", least: numberOf(property["minimum"]), most: numberOf(property["maximum"]) };
  const options = optionsOf(property);
  if (options.length > 0) return { ...base, kind: "choice", options };
  return { ...base, kind: "text", format: textOf(property["format"]), shortest: numberOf(property["minLength"]) ?? 0, longest: numberOf(property["maxLength"]) };
}

/** The values that may be taken, with their names: as a plain list, beside a list of names, or as titled constants. */
function optionsOf(property: Schema): FormOption[] {
  const plain = listOf(property["enum"]).map(String);
  const names = textsOf(property["enumNames"]);
  if (plain.length > 0) return plain.map((value, at) => ({ value, label: names[at] ?? value }));
  const titled = [...listOf(property["oneOf"]), ...listOf(property["anyOf"])].map(recordOf);
  return titled.flatMap((option) => (typeof option["const"] === "string" ? [{ value: option["const"], label: textOf(option["title"]) || option["const"] }] : []));
}

function firstValue(field: FormField | undefined, given: unknown): FormValue {
  if (field?.kind === "yes") return given === true;
  if (field?.kind === "choices") return textsOf(given);
  if (field?.kind === "text" && field.format === "date-time") return localTime(textOf(given));
  return typeof given === "string" || typeof given === "number" ? String(given) : "";
}

function isLeftOut(field: FormField, value: FormValue): boolean {
  if (field.kind === "yes") return false;
  return value.toString() === "" && !field.isRequired;
}

function problemWith(field: FormField, value: FormValue): string | null {
  if (field.kind === "yes") return null;
  const text = value.toString().trim();
  if (text === "") return field.isRequired ? "This is needed." : null;
  if (field.kind === "number") return numberProblem(field, Number(text));
  if (field.kind === "choices") return choicesProblem(field, typeof value === "object" ? value.length : 0);
  if (field.kind !== "text") return null;
  if (text.length < field.shortest) return `At least ${String(field.shortest)} characters.`;
  if (field.longest !== null && text.length > field.longest) return `At most ${String(field.longest)} characters.`;
  return formatProblem(field.format, text);
}

function formatProblem(format: string, text: string): string | null {
  if (format === "email" && !/^[^\s@]+@[^\s@]+$/.test(text)) return "This is not an email address.";
  if (format === "uri" && !URL.canParse(text)) return "This is not an address.";
  return null;
}

function choicesProblem({ least, most }: Extract<FormField, { kind: "choices" }>, count: number): string | null {
  if (count < least) return `Choose at least ${String(least)}.`;
  if (most !== null && count > most) return `Choose at most ${String(most)}.`;
  return null;
}

function numberProblem({ isWhole, least, most }: Extract<FormField, { kind: "number" }>, value: number): string | null {
  if (!Number.isFinite(value)) return "This is not a number.";
  if (isWhole && !Number.isInteger(value)) return "This must be a whole number.";
  if (least !== null && value < least) return `At least ${String(least)}.`;
  if (most !== null && value > most) return `At most ${String(most)}.`;
  return null;
}

function sent(field: FormField, value: FormValue): FormContent[string] {
  if (field.kind === "number") return Number(value);
  // A browser's field has no time zone; what is sent must have one.
  if (field.kind === "text" && field.format === "date-time") return new Date(value.toString()).toISOString();
  return typeof value === "object" ? [...value] : value;
}

/** A point in time as a browser's field takes it; empty when it is none. */
function localTime(text: string): string {
  const time = new Date(text);
  if (Number.isNaN(time.valueOf())) return "";
  const local = new Date(time.valueOf() - time.getTimezoneOffset() * 60_000);
  return local.toISOString().slice(0, 16);
}

/** What kind of field a browser shows for a text of this format. */
export function inputType(format: string): "email" | "url" | "date" | "datetime-local" | "text" {
  return ({ email: "email", uri: "url", date: "date", "date-time": "datetime-local" } as const)[format] ?? "text";
}

function recordOf(value: unknown): Schema {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Schema) : {};
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function textsOf(value: unknown): string[] {
  return listOf(value).filter((one) => typeof one === "string");
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

function numberOf(value: unknown): number | null {
  return typeof value === "number" ? value : null;
}
