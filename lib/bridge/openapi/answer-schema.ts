import type { JsonSchema } from "../catalog.ts";

/**
 * One level of an output schema, without what answers in use break although nothing is wrong with them (D100): what
 * remains tells which members there are and of which type. Values of an enumeration become examples, everything may be
 * null or missing, and of several alternatives more than one may fit.
 */
export function describing(schema: JsonSchema): JsonSchema {
  // Names by pattern decide with each other which members are additional ones.
  const additional = schema.patternProperties === undefined ? schema.additionalProperties : false;
  const members = Object.entries(schema).flatMap(([keyword, value]): [string, unknown][] => {
    if (keyword === "additionalProperties") return additional === false ? [] : [[keyword, value]];
    if (keyword === "type") return [[keyword, orNull(value)]];
    if (keyword === "oneOf") return [["anyOf", value]];
    if (keyword === "enum") return [["examples", value]];
    if (keyword === "const") return [["examples", [value]]];
    return KEPT.has(keyword) ? [[keyword, value]] : [];
  });
  return Object.fromEntries(members);
}

const KEPT = new Set(
  "$ref allOf anyOf properties items prefixItems title description default deprecated contentEncoding contentMediaType".split(
    " ",
  ),
);

function orNull(type: unknown): unknown {
  const types = [type].flat();
  return types.includes("null") ? type : [...types, "null"];
}
