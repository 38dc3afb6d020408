import { expect, test } from "vitest";
import { ElicitationForm, inputType } from "./elicitation-form.svelte";

const SCHEMA = {
  type: "object",
  properties: {
    collection: { type: "string", title: "Collection", oneOf: [{ const: "s", title: "Surges" }, { const: "t", title: "Tides" }] },
    level: { type: "string", enum: ["low", "high"], enumNames: ["Low", "High"], default: "low" },
    tags: { type: "array", items: { type: "string", enum: ["a", "b"] } },
    note: { type: "string", minLength: 3, maxLength: 5, description: "What for" },
    count: { type: "integer", minimum: 1, maximum: 9 },
    share: { type: "number" },
    attach: { type: "boolean", default: true },
  },
  required: ["collection", "count"],
};

test("each property becomes a field with its first value", () => {
  const form = new ElicitationForm(SCHEMA);
  expect(form.fields.map(({ name, kind, label, isRequired }) => [name, kind, label, isRequired])).toEqual([
    ["collection", "choice", "Collection", true], ["level", "choice", "level", false], ["tags", "choices", "tags", false], ["note", "text", "note", false],
    ["count", "number", "count", true], ["share", "number", "share", false], ["attach", "yes", "attach", false],
  ]);
  expect(form.values).toEqual({ collection: "", level: "low", tags: [], note: "", count: "", share: "", attach: true });
  expect(form.fields.flatMap((field) => ("options" in field ? field.options.map((option) => option.label) : []))).toEqual(["Surges", "Tides", "Low", "High", "a", "b"]);
});

test("what is missing or wrong is said at its field, and nothing is sent", () => {
  const form = new ElicitationForm(SCHEMA);
  form.values["note"] = "ab";
  form.values["share"] = "a third";
  expect(form.content()).toBeNull();
  expect(form.problems).toEqual({ collection: "This is needed.", note: "At least 3 characters.", count: "This is needed.", share: "This is not a number." });
  form.values["note"] = "abcdef";
  form.values["count"] = "1.5";
  expect(form.content()).toBeNull();
  expect(form.problems).toMatchObject({ note: "At most 5 characters.", count: "This must be a whole number." });
  form.values["count"] = "10";
  expect(form.content()).toBeNull();
  expect(form.problems["count"]).toBe("At most 9.");
});

test("what is filled in goes out in its own type; what is empty and optional is left out", () => {
  const form = new ElicitationForm(SCHEMA);
  Object.assign(form.values, { collection: "s", count: "3", share: "0.5", tags: ["b"], attach: false });
  expect(form.content()).toEqual({ collection: "s", level: "low", tags: ["b"], count: 3, share: 0.5, attach: false });
  expect(form.problems).toEqual({});
});

test("what has a format is held to it, and a time goes out with its zone", () => {
  const form = new ElicitationForm({ properties: { mail: { type: "string", format: "email" }, page: { type: "string", format: "uri" }, at: { type: "string", format: "date-time", default: "2026-11-19T10:30:00Z" }, pair: { type: "array", minItems: 2, maxItems: 2, items: { type: "string", enum: ["a", "b", "c"] } } } });
  expect(new Date(String(form.values["at"])).toISOString()).toBe("2026-11-19T10:30:00.000Z");
  Object.assign(form.values, { mail: "nobody", page: "nowhere", pair: ["a"] });
  expect(form.content()).toBeNull();
  expect(form.problems).toEqual({ mail: "This is not an email address.", page: "This is not an address.", pair: "Choose at least 2." });
  form.values["pair"] = ["a", "b", "c"];
  expect(form.content()).toBeNull();
  expect(form.problems["pair"]).toBe("Choose at most 2.");
  Object.assign(form.values, { mail: "a@b.test", page: "https://a.test", pair: ["a", "b"] });
  expect(form.content()).toEqual({ mail: "a@b.test", page: "https://a.test", at: "2026-11-19T10:30:00.000Z", pair: ["a", "b"] });
});

test("a schema that is odd makes no field that breaks", () => {
  const form = new ElicitationForm({ properties: { a: null, b: { type: "array" }, c: { oneOf: [1, { const: 2 }] } }, required: "a" });
  expect(form.fields.map(({ kind }) => kind)).toEqual(["text", "choices", "text"]);
  expect(new ElicitationForm({}).content()).toEqual({});
});

test("the browser's own fields for known formats", () => {
  expect(["email", "uri", "date", "date-time", "odd"].map(inputType)).toEqual(["email", "url", "date", "datetime-local", "text"]);
});
