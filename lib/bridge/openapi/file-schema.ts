import type { JsonObject } from "../../json.ts";
import type { JsonSchema } from "../catalog.ts";
import { kindOf } from "../response/kind.ts";
import { bounded } from "./plain.ts";

/** Keywords whose schemas are alternatives or additions of the one that has them. */
export const BRANCHES = ["allOf", "anyOf", "oneOf"];

/** Bytes: `format: binary` (OpenAPI 3.0), or a media type without an encoding that makes text of it (OpenAPI 3.1). */
export function isFileSchema(
  { type, format, contentMediaType, contentEncoding, ...rest }: JsonObject,
  types: readonly string[],
) {
  const isText = type === "string" || (Array.isArray(type) && type.includes("string"));
  if (contentEncoding !== undefined || (type !== undefined && !isText)) return false;
  if (format === "binary") return true;
  if (BRANCHES.some((key) => rest[key] !== undefined) || rest.enum !== undefined) return false;
  const declared = typeof contentMediaType === "string" ? [contentMediaType] : types;
  return declared.length > 0 && declared.every(isBinary);
}

export function isBinary(mediaType: string): boolean {
  return ["image", "audio", "other"].includes(kindOf(mediaType));
}

/**
 * What an agent gives for a file. `types` are the media types and ranges of which it is one: of a single one there is
 * nothing to say, and where there are only ranges the agent has to.
 */
export function fileSchema(description: string | undefined, types: readonly string[], isNamed = true): JsonSchema {
  const isOpen = types.length === 0 || types.some(isAnything);
  const concrete = types.filter((type) => !type.includes("*"));
  const contentType = concrete.length === 1 && concrete.length === types.length ? undefined : typeSchema(types, isOpen);
  const needed = isOpen || concrete.length > 0 ? [] : ["contentType"];
  return {
    type: "object",
    ...(description !== undefined && { description: bounded(description, 600) }),
    properties: {
      data: { type: "string", contentEncoding: "base64", description: "The file in base64." },
      text: { type: "string", description: "The file, if it is text, in place of data." },
      ...(isNamed && { filename: { type: "string" } }),
      ...(contentType && { contentType }),
    },
    oneOf: [{ required: ["data", ...needed] }, { required: ["text", ...needed] }],
    additionalProperties: false,
  };
}

function isAnything(range: string): boolean {
  return range === "*/*" || range === "application/*";
}

function typeSchema(types: readonly string[], isOpen: boolean): JsonSchema {
  if (isOpen) return { type: "string", pattern: "^[A-Za-z0-9_.+-]+/[A-Za-z0-9_.+-]+$" };
  if (types.every((type) => !type.includes("*"))) return { type: "string", enum: types };
  const starts = types.map((type) =>
    type.endsWith("/*") ? `${literal(type.slice(0, -1))}[A-Za-z0-9_.+-]+` : literal(type),
  );
  return { type: "string", pattern: `^(${starts.join("|")})$` };
}

function literal(type: string): string {
  return type.replaceAll(/[^A-Za-z0-9/_-]/g, (character) => `\\${character}`);
}
