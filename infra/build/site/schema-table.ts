import { slugOf } from "./addresses.ts";

/** The part of JSON Schema that the management API uses. */
export interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly additionalProperties?: boolean | Schema;
  readonly oneOf?: readonly Schema[];
  readonly anyOf?: readonly Schema[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly format?: string;
  readonly pattern?: string;
  readonly default?: unknown;
  readonly examples?: readonly unknown[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
}

/** A table with a row for each field, those of objects in it included; a line where the schema is no object. */
export function fieldsTable(schema: Schema): string {
  const rows = fieldRows(schema, "");
  if (rows.length === 0) return `Type: ${typeOf(schema)}.`;
  return ["| field | type | meaning |", "| --- | --- | --- |", ...rows].join("\n");
}

function fieldRows(schema: Schema, prefix: string): readonly string[] {
  return Object.entries(schema.properties ?? {}).flatMap(([name, field]) => {
    const isRequired = schema.required?.includes(name) === true;
    const path = `${prefix}${name}`;
    const meaning = [field.description, exampleOf(field)].filter((text) => text !== undefined).join(" ");
    return [
      `| \`${path}\`${isRequired ? "" : " (optional)"} | ${cell(typeOf(field))} | ${cell(meaning)} |`,
      ...nestedRows(field, path),
    ];
  });
}

function nestedRows(field: Schema, path: string): readonly string[] {
  if (field.items !== undefined) return nestedRows(field.items, `${path}[]`);
  const alternatives = [...(field.oneOf ?? []), ...(field.anyOf ?? [])];
  return [...fieldRows(field, `${path}.`), ...alternatives.flatMap((one) => nestedRows(one, path))];
}

function exampleOf({ examples, default: fallback }: Schema): string | undefined {
  const texts = [
    ...(fallback === undefined ? [] : [`Without it: \`${JSON.stringify(fallback)}\`.`]),
    ...(examples?.[0] === undefined ? [] : [`Example: \`${JSON.stringify(examples[0])}\`.`]),
  ];
  return texts.length === 0 ? undefined : texts.join(" ");
}

/** The type in words, with its bounds; a component is a link to its place among the schemas. */
export function typeOf(schema: Schema): string {
  const { $ref, items, enum: values, type, oneOf, anyOf } = schema;
  if ($ref !== undefined) {
    const name = $ref.split("/").at(-1) as string;
    return `[${name}](schemas.md#${slugOf(name)})`;
  }
  if (schema.const !== undefined) return `\`${JSON.stringify(schema.const)}\``;
  if (values !== undefined) return values.map((value) => `\`${JSON.stringify(value)}\``).join(", ");
  const alternatives = oneOf ?? anyOf;
  if (alternatives !== undefined) return alternatives.map(typeOf).join(" or ");
  if (items !== undefined) return `list of ${typeOf(items)}${bounds(schema.minItems, schema.maxItems, "entries")}`;
  const name = Array.isArray(type) ? type.join(" or ") : String(type ?? "any value");
  const { additionalProperties: values_ } = schema;
  const map = typeof values_ === "object" ? ` of ${typeOf(values_)} by name` : "";
  const format = schema.format === undefined ? "" : `, ${schema.format}`;
  const pattern = schema.pattern === undefined ? "" : `, \`${schema.pattern}\``;
  return (
    name +
    map +
    format +
    pattern +
    bounds(schema.minimum, schema.maximum) +
    bounds(schema.minLength, schema.maxLength, "characters")
  );
}

function bounds(least: number | undefined, most: number | undefined, of = ""): string {
  if (least === undefined && most === undefined) return "";
  const range =
    most === undefined ? `at least ${least}` : least === undefined ? `at most ${most}` : `${least} to ${most}`;
  return ` (${range}${of === "" ? "" : ` ${of}`})`;
}

/** A text as it may stand in a cell of a table. What stands between backticks is shown as it is. */
export function cell(text: string): string {
  const parts = text.replaceAll(/\s+/g, " ").trim().split("`");
  const safe = parts.map((part, index) => (index % 2 === 0 ? part.replaceAll("<", "&lt;") : part));
  return safe.join("`").replaceAll("|", "\\|");
}
