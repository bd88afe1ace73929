import { canonicalJson } from "../kernel/canonical-json.ts";
import { isJsonObject, type JsonObject } from "../kernel/json.ts";
import { type KnownNames, type Masks, newEffort } from "./mask.ts";
import { eitherWay, mapParts, omit, partsIn, someOf } from "./schema-parts.ts";

/** What a masked text need not have any more, … */
const OF_TEXTS = new Set(
  "pattern format minLength maxLength contentEncoding contentMediaType contentSchema".split(" "),
);
/** … and what can come out otherwise for masked values. Examples show what is masked. */
const NOT_KEPT = new Set("not uniqueItems maxContains minProperties default examples example".split(" "));

/** A schema that takes every masked answer of those that the schema took. */
export function maskedSchema(root: JsonObject, masks: Masks): JsonObject {
  const names = namesIn(root);
  const effort = newEffort();
  const masked = (value: unknown) => masks.value(value, names, effort);
  const visit = (schema: unknown): unknown => {
    if (!isJsonObject(schema)) return schema;
    const kept = someOf(
      eitherWay(omit(schema, takesText(schema, masks) ? new Set([...NOT_KEPT, ...OF_TEXTS]) : NOT_KEPT)),
    );
    return withData(mapParts(kept, visit), masked, masks);
  };
  return visit(root) as JsonObject;
}

/** Names that the schema tells, wherever. */
export function namesIn(root: unknown): KnownNames {
  const names = partsIn(root).flatMap(({ properties, required, dependentRequired, dependentSchemas, dependencies }) => {
    const conditions = [dependentRequired, dependencies].flatMap((one) =>
      isJsonObject(one) ? Object.values(one) : [],
    );
    return [
      ...[properties, dependentRequired, dependentSchemas, dependencies].flatMap((one) =>
        isJsonObject(one) ? Object.keys(one) : [],
      ),
      ...[required, ...conditions].flatMap((one) => (Array.isArray(one) ? one.map(String) : [])),
    ];
  });
  return new Set(names);
}

function takesText({ type }: JsonObject, { seeNumbers }: Masks): boolean {
  if (type === undefined) return true;
  const types = [type].flat();
  return types.includes("string") || (seeNumbers && types.some(isNumber));
}

function isNumber(type: unknown): boolean {
  return type === "number" || type === "integer";
}

function withData(schema: JsonObject, masked: (value: unknown) => unknown, { seeNumbers }: Masks): JsonObject {
  const { type, enum: values, const: value } = schema;
  const types = [type ?? []].flat();
  const isLoosened = seeNumbers && types.some(isNumber) && !types.includes("string");
  return {
    ...schema,
    ...(isLoosened && { type: [...types, "string"] }),
    ...(Array.isArray(values) && { enum: once(values.map(masked)) }),
    ...(value !== undefined && { const: masked(value) }),
  };
}

function once(values: readonly unknown[]): readonly unknown[] {
  return [...new Map(values.map((value) => [canonicalJson(value), value])).values()];
}
