import { isJsonObject, type JsonObject } from "../../lib/kernel/json.ts";
import type { BridgeTool } from "../../lib/openapi/catalog.ts";
import { isForm } from "./receiver/validator-app.ts";
import { type Samples, sampleArguments } from "./sampler/sample.ts";
import type { SchemaSet } from "./sampler/schema-set.ts";
import type { Place } from "./sampler/strings.ts";

/** Arguments for calls of a tool, drawn at random from its input schema. */
export function callsOf(tool: BridgeTool, schemas: SchemaSet, seed: number): Samples {
  const samples = sampleArguments(tool, schemas, { seed, placeOf: (argument) => placeOf(tool, argument) });
  return { ...samples, values: samples.values.map((value) => withoutMediaTypes(value) as JsonObject) };
}

/** An agent may say of a file that it is of a type that the document does not have; here it does not. */
function withoutMediaTypes(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutMediaTypes);
  if (!isJsonObject(value)) return value;
  const isFile = typeof value.data === "string" || typeof value.text === "string";
  const kept = Object.entries(value).filter(([name]) => !isFile || name !== "contentType");
  return Object.fromEntries(kept.map(([name, entry]) => [name, withoutMediaTypes(entry)]));
}

/** Where the value of an argument goes, by which the sampler draws what can be written there. */
function placeOf({ request, inputSchema }: BridgeTool, argument: string): Place {
  const { parameters, body } = request;
  const parameter = parameters.find((one) => one.argument === argument);
  if (parameter?.in === "querystring") return { in: "query" };
  if (parameter === undefined) {
    const { style, explode } = body?.encodings?.[body.names?.[argument] ?? argument] ?? {};
    const isDelimited = explode === false || style === "spaceDelimited" || style === "pipeDelimited";
    return isForm(body?.contentType ?? "") ? { in: "form", isDelimited } : { in: "body" };
  }
  const isExploded = parameter.explode ?? (parameter.style === undefined || parameter.style === "form");
  const isPlain = parameter.content !== undefined || !isComposed(inputSchema, argument);
  return { in: parameter.in, isDelimited: !isPlain && !(parameter.in === "query" && isExploded) };
}

function isComposed({ properties }: BridgeTool["inputSchema"], argument: string): boolean {
  const { type, ...keywords } = ((properties as JsonObject)[argument] ?? {}) as JsonObject;
  const inside = ["items", "properties", "$ref", "anyOf", "oneOf", "allOf"];
  return (
    [type].flat().some((one) => one === "array" || one === "object") ||
    inside.some((one) => keywords[one] !== undefined)
  );
}
