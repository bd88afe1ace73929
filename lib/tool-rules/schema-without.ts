import { isJsonObject, type JsonObject } from "../kernel/json.ts";
import { type Removal, removalIn, WithheldError, without } from "./result-rule.ts";
import { definitionOf, eitherWay, omit, someOf, targetIn, unescaped, withoutUnused } from "./schema-parts.ts";

/** What can come out otherwise where something is taken away, and what may show it. */
const NOT_KEPT = new Set("not uniqueItems maxContains minProperties default examples example discriminator".split(" "));

/** A schema that takes every answer of those that the schema took, without what is taken away. References lead to definitions. */
export function schemaWithout(schema: JsonObject, removal: Removal): JsonObject {
  const root = rebased(schema);
  const made = new Map<Removal, Map<string, string>>();
  const definitions: Record<string, unknown> = {};
  const taken = new Set([...Object.keys(objectOf(root.$defs)), ...Object.keys(objectOf(root.definitions))]);

  /** The definition without what is taken away, each once. */
  function refer(reference: string, at: Removal): string {
    const known = made.get(at) ?? new Map<string, string>();
    made.set(at, known);
    const name = known.get(reference) ?? freeName(definitionOf(reference)?.[1] ?? "", taken);
    if (!known.has(reference)) {
      known.set(reference, name);
      taken.add(name);
      const [keyword = "", own = ""] = definitionOf(reference) ?? [];
      definitions[name] = visit(objectOf(root[keyword])[own], at);
    }
    return `#/$defs/${name}`;
  }

  function visit(part: unknown, at: Removal): unknown {
    if (!isJsonObject(part)) return part;
    const inPlace = (one: unknown) => visit(one, at);
    const kept = someOf(eitherWay(omit(part, NOT_KEPT)));
    const shown: Record<string, unknown> = { ...kept };
    if (typeof kept.$ref === "string") shown.$ref = refer(kept.$ref, at);
    for (const keyword of ["allOf", "anyOf"]) {
      const parts = kept[keyword];
      if (Array.isArray(parts)) shown[keyword] = parts.map(inPlace);
    }
    Object.assign(shown, itemsWithout(kept, at, visit), membersWithout(kept, at, visit), dataWithout(kept, at));
    return at.each?.isRemoved ? omit(shown, new Set(["minItems", "contains", "minContains", "prefixItems"])) : shown;
  }

  const { $defs, ...shown } = visit(root, removal) as JsonObject;
  return withoutUnused({ ...shown, $defs: { ...objectOf($defs), ...definitions } });
}

type Visit = (part: unknown, at: Removal) => unknown;

function itemsWithout(schema: JsonObject, { each }: Removal, visit: Visit): JsonObject {
  if (each === undefined || each.isRemoved) return {};
  const changed = ["items", "additionalItems", "unevaluatedItems", "contains", "prefixItems"].flatMap((keyword) => {
    const value = schema[keyword];
    if (value === undefined) return [];
    return [[keyword, Array.isArray(value) ? value.map((one) => visit(one, each)) : visit(value, each)]];
  });
  return Object.fromEntries(changed);
}

function membersWithout(schema: JsonObject, at: Removal, visit: Visit): JsonObject {
  const isGone = (name: string) => removalIn(at, name)?.isRemoved === true;
  /** Of members that are not declared: one may be among those that something is taken away in. */
  const below = [...[...at.members.keys()].map((name) => removalIn(at, name)), at.each].flatMap((one) =>
    one === undefined || one.isRemoved ? [] : [one],
  );
  const anyName = (part: unknown) =>
    below.length === 0 || !isJsonObject(part) ? part : { anyOf: [part, ...below.map((one) => visit(part, one))] };
  const shown: Record<string, unknown> = {};
  if (isJsonObject(schema.properties)) {
    const rest = Object.entries(schema.properties).flatMap(([name, part]) => {
      const removal = removalIn(at, name);
      if (removal === undefined) return [[name, part]];
      return removal.isRemoved ? [] : [[name, visit(part, removal)]];
    });
    shown.properties = Object.fromEntries(rest);
  }
  if (Array.isArray(schema.required)) shown.required = schema.required.filter((name) => !isGone(String(name)));
  for (const keyword of ["additionalProperties", "unevaluatedProperties"])
    if (schema[keyword] !== undefined) shown[keyword] = anyName(schema[keyword]);
  if (isJsonObject(schema.patternProperties))
    shown.patternProperties = Object.fromEntries(
      Object.entries(schema.patternProperties).map(([pattern, part]) => [pattern, anyName(part)]),
    );
  for (const keyword of ["dependentRequired", "dependentSchemas", "dependencies"]) {
    const conditions = schema[keyword];
    if (!isJsonObject(conditions)) continue;
    const rest = Object.entries(conditions).filter(([name]) => !isGone(name));
    shown[keyword] = Object.fromEntries(
      rest.map(([name, one]) => [
        name,
        Array.isArray(one) ? one.filter((other) => !isGone(String(other))) : visit(one, at),
      ]),
    );
  }
  return shown;
}

function dataWithout({ enum: values, const: value }: JsonObject, at: Removal): JsonObject {
  const rest = (one: unknown): readonly unknown[] => {
    try {
      return [without(one, at)];
    } catch (error) {
      // An answer that is this value is withheld.
      if (error instanceof WithheldError) return [];
      throw error;
    }
  };
  const shown = Array.isArray(values)
    ? [...new Set(values.flatMap(rest).map((one) => JSON.stringify(one)))]
    : undefined;
  return {
    ...(shown !== undefined && { enum: shown.length === 0 ? [null] : shown.map((text) => JSON.parse(text)) }),
    ...(value !== undefined && { const: rest(value)[0] ?? null }),
  };
}

/** References into other parts of the schema lead to a copy of it, which stays whole. */
function rebased(schema: JsonObject): JsonObject {
  const { $defs, definitions, ...own } = schema;
  const text = JSON.stringify(schema);
  if (!/"\$ref":"#(?!\/(?:\$defs|definitions)\/[^/"]+")/.test(text)) return schema;
  const whole = freeName("whole", new Set(Object.keys(objectOf($defs))));
  const rebase = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(rebase);
    if (!isJsonObject(value)) return value;
    return Object.fromEntries(
      Object.entries(value).map(([key, inner]) => [
        key,
        key === "$ref" && typeof inner === "string" && inner.startsWith("#") ? reference(inner) : rebase(inner),
      ]),
    );
  };
  const copies: Record<string, unknown> = {};
  const reference = (given: string): string => {
    if (definitionOf(given) !== undefined) return given;
    const name = given === "#" ? whole : `${whole}${given.slice(1).split("/").map(unescaped).join(".")}`;
    const plain = name.replaceAll(/[^\w.]/g, "_");
    if (!Object.hasOwn(copies, plain)) {
      // Known before it is made: it may refer to itself.
      copies[plain] = true;
      copies[plain] = rebase(given === "#" ? own : (targetIn(schema, given) ?? true));
    }
    return `#/$defs/${plain}`;
  };
  const made = rebase(schema) as JsonObject;
  return {
    ...made,
    ...(definitions !== undefined && { definitions: made.definitions }),
    $defs: { ...objectOf(made.$defs), ...copies },
  };
}

function freeName(wanted: string, taken: ReadonlySet<string>): string {
  const plain = wanted.replaceAll(/[^\w.]/g, "_") || "part";
  for (let count = 1; ; count += 1) {
    const name = `${plain}.${count}`;
    if (!taken.has(name)) return name;
  }
}

function objectOf(value: unknown): JsonObject {
  return isJsonObject(value) ? value : {};
}
