/** A JSON Schema as far as the page reads one. */
export type Schema = Readonly<Record<string, unknown>>;

/** How a value of a schema is written in a form. */
export type Kind =
  | { readonly kind: "text" | "number" | "integer" | "boolean" | "json" }
  | { readonly kind: "choice"; readonly values: readonly unknown[] }
  | { readonly kind: "list"; readonly items: Schema }
  | {
      readonly kind: "object";
      readonly properties: Readonly<Record<string, Schema>>;
      readonly required: readonly string[];
    };

/** References lead no further than this many times: a schema may name itself. */
const MOST_REFERENCES = 8;

/** The schema that a reference within the document names; the same for every other schema. */
export function resolved(schema: unknown, root: Schema): Schema {
  let found = isSchema(schema) ? schema : {};
  for (let count = 0; count < MOST_REFERENCES && typeof found.$ref === "string"; count++) {
    const { $ref, ...beside } = found;
    const target = targetOf($ref as string, root);
    if (!isSchema(target)) return found;
    found = { ...target, ...beside };
  }
  return found;
}

function targetOf(reference: string, root: Schema): unknown {
  if (!reference.startsWith("#")) return undefined;
  const steps = reference.slice(1).split("/").slice(1);
  return steps.reduce<unknown>((at, step) => {
    const name = decodeURIComponent(step).replaceAll("~1", "/").replaceAll("~0", "~");
    return isSchema(at) && Object.hasOwn(at, name) ? at[name] : undefined;
  }, root);
}

export function isSchema(value: unknown): value is Schema {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** What a form has for the schema; `json` where no field fits. */
export function kindOf(schema: Schema): Kind {
  const { enum: values, items } = schema;
  if (Array.isArray(values) && values.length > 0) return { kind: "choice", values };
  if (Object.hasOwn(schema, "const")) return { kind: "choice", values: [schema.const] };
  if (COMBINED.some((keyword) => Object.hasOwn(schema, keyword))) return { kind: "json" };
  switch (typeOf(schema)) {
    case "string":
      return { kind: "text" };
    case "integer":
    case "number":
    case "boolean":
      return { kind: typeOf(schema) as "integer" | "number" | "boolean" };
    case "array":
      return isSchema(items) ? { kind: "list", items } : { kind: "json" };
    case "object":
      return objectOf(schema);
    default:
      return { kind: "json" };
  }
}

const COMBINED = ["oneOf", "anyOf", "allOf", "not", "if", "prefixItems", "patternProperties"];

/** Members without names of their own are written as JSON. */
function objectOf({ properties, required, additionalProperties }: Schema): Kind {
  const named = isSchema(properties) ? properties : {};
  const isOpen = isSchema(additionalProperties) && Object.keys(additionalProperties).length > 0;
  if (isOpen || Object.keys(named).length === 0) return { kind: "json" };
  const schemas = Object.entries(named).map(([name, schema]) => [name, isSchema(schema) ? schema : {}]);
  return { kind: "object", properties: Object.fromEntries(schemas), required: requiredOf({ required }) };
}

export function requiredOf({ required }: Schema): readonly string[] {
  return Array.isArray(required) ? required.filter((name) => typeof name === "string") : [];
}

/** The one type besides `null`; undefined where there are several or none. */
export function typeOf({ type, properties }: Schema): string | undefined {
  const types = (Array.isArray(type) ? type : [type]).filter((one) => one !== "null" && one !== undefined);
  if (types.length === 1) return String(types[0]);
  return types.length === 0 && isSchema(properties) ? "object" : undefined;
}

/** One argument or member in a table. */
export interface SchemaRow {
  /** `book.authors[]` */
  readonly path: string;
  readonly type: string;
  readonly isRequired: boolean;
  readonly description: string | undefined;
  /** What else it has to be: `at most 200 characters`. */
  readonly limits: readonly string[];
}

/** Rows of one table, so that a page stays one. */
const MOST_ROWS = 300;
const DEEPEST = 6;

/** All that is in a schema, each member below the one that holds it. */
export function rowsOf(root: Schema): readonly SchemaRow[] {
  const rows: SchemaRow[] = [];
  const walk = (given: unknown, path: string, isRequired: boolean, depth: number) => {
    if (rows.length >= MOST_ROWS) return;
    const schema = resolved(given, root);
    if (path !== "") rows.push(rowOf(schema, path, isRequired));
    if (depth >= DEEPEST) return;
    const required = requiredOf(schema);
    for (const [name, member] of Object.entries(isSchema(schema.properties) ? schema.properties : {})) {
      walk(member, path === "" ? name : `${path}.${name}`, required.includes(name), depth + 1);
    }
    const items = resolved(schema.items, root);
    if (path !== "" && isSchema(items.properties)) walk(items, `${path}[]`, false, depth + 1);
  };
  walk(root, "", false, 0);
  return rows;
}

function rowOf(schema: Schema, path: string, isRequired: boolean): SchemaRow {
  const { description, title } = schema;
  const words = [description, title].find((text) => typeof text === "string");
  return {
    path,
    type: typeText(schema),
    isRequired,
    description: words as string | undefined,
    limits: limitsOf(schema),
  };
}

function typeText(schema: Schema): string {
  const { type, format, items } = schema;
  const names = Array.isArray(type) ? type.join(" or ") : typeof type === "string" ? type : (typeOf(schema) ?? "any");
  if (type === "array" && isSchema(items)) return `list of ${typeText(items)}`;
  return typeof format === "string" ? `${names} (${format})` : names;
}

function limitsOf(schema: Schema): readonly string[] {
  const { enum: values, const: only, pattern } = schema;
  const simple = LIMITS.flatMap(([keyword, words]) =>
    typeof schema[keyword] === "number" ? [words.replace("#", String(schema[keyword]))] : [],
  );
  return [
    ...(Array.isArray(values) ? [`one of ${values.map((value) => JSON.stringify(value)).join(", ")}`] : []),
    ...(only === undefined ? [] : [`always ${JSON.stringify(only)}`]),
    ...simple,
    ...(typeof pattern === "string" ? [`matches ${pattern}`] : []),
    ...(schema.default === undefined ? [] : [`by default ${JSON.stringify(schema.default)}`]),
  ];
}

const LIMITS: readonly (readonly [string, string])[] = [
  ["minimum", "at least #"],
  ["maximum", "at most #"],
  ["exclusiveMinimum", "more than #"],
  ["exclusiveMaximum", "less than #"],
  ["multipleOf", "a multiple of #"],
  ["minLength", "at least # characters"],
  ["maxLength", "at most # characters"],
  ["minItems", "at least # entries"],
  ["maxItems", "at most # entries"],
];
