import { isJsonObject } from "../../json.ts";
import type { JsonSchema, LeftOutReason, OperationParameter } from "../catalog.ts";
import { below } from "./document-error.ts";
import type { Operation, Parameter } from "./operations.ts";
import { bounded, member, text } from "./plain.ts";
import type { SchemaExtractor } from "./standalone-schema.ts";

/** A parameter that a call can send, before it is given the name of its argument. */
export interface SupportedParameter extends Omit<OperationParameter, "argument"> {
  readonly schema: JsonSchema | boolean;
}

/** OpenAPI, Parameter Object: these header parameters "SHALL be ignored". */
const IGNORED_HEADERS = new Set(["accept", "content-type", "authorization"]);
/**
 * Headers that say who asks, from where and for what, or that frame the message: ours, a proxy's or the connection's to
 * set. A document must not hand them to the agent.
 */
const RESERVED_HEADERS = [
  "connection|keep-alive|te|trailer|transfer-encoding|upgrade|http2-settings|content-length|content-encoding|expect",
  "host|via|forwarded|max-forwards|cdn-loop|x-forwarded(-.*)?|x-real-ip|x-host|x-original-.*|x-rewrite-url|x-envoy-.*",
  "(x-|x-cluster-|true-|fastly-)client-ip|x-http-method|x-http-method-override|x-method-override",
  "cookie2?|set-cookie2?|user-agent|origin|referer|date|dnt|accept-(charset|encoding)|access-control-.*",
  "mcp-.*|proxy-.*|sec-.*|cf-.*|traceparent|tracestate",
];
const RESERVED_HEADER = new RegExp(`^(${RESERVED_HEADERS.join("|")})$`, "i");

/** The parameters of an operation, path first, then query, then header; or why the operation cannot be a tool. */
export function supportedParameters(
  operation: Operation,
  schemas: SchemaExtractor,
): readonly SupportedParameter[] | LeftOutReason {
  const supported: SupportedParameter[] = [];
  for (const parameter of operation.parameters) {
    if (isLeftToUs(parameter)) continue;
    const result = support(parameter, schemas);
    if (typeof result === "string") return result;
    supported.push(result);
  }
  const order = { path: 0, query: 1, header: 2 };
  return supported.sort((a, b) => order[a.in] - order[b.in]);
}

/** A call goes without them: those that OpenAPI ignores, and reserved ones that the API can do without. */
function isLeftToUs({ name, in: location, definition }: Parameter): boolean {
  if (location !== "header") return false;
  return IGNORED_HEADERS.has(name.toLowerCase()) || (RESERVED_HEADER.test(name) && definition.required !== true);
}

function support(parameter: Parameter, schemas: SchemaExtractor): SupportedParameter | LeftOutReason {
  const { definition, name } = parameter;
  const location = parameter.in;
  if (location !== "path" && location !== "query" && location !== "header") return "unsupported parameter location";
  if (location === "header" && (RESERVED_HEADER.test(name) || !isToken(name))) return "unsupported parameter location";
  const style = location === "query" ? "form" : "simple";
  if (definition.content !== undefined || definition.allowReserved === true) return "unsupported parameter style";
  if (definition.style !== undefined && definition.style !== style) return "unsupported parameter style";
  const schema = schemas.extract(definition.schema ?? {}, below(parameter.pointer, "schema"));
  return {
    name,
    in: location,
    required: location === "path" || definition.required === true,
    explode: typeof definition.explode === "boolean" ? definition.explode : style === "form",
    schema: described(schema, text(definition.description), definition.deprecated === true),
  };
}

/** RFC 9110 §5.6.2. */
function isToken(name: string): boolean {
  return /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(name);
}

function described(
  schema: JsonSchema | boolean,
  description: string | undefined,
  deprecated: boolean,
): JsonSchema | boolean {
  if (!isJsonObject(schema)) return schema;
  return {
    ...schema,
    ...(description !== undefined &&
      member(schema, "description") === undefined && { description: bounded(description, 600) }),
    ...(deprecated && { deprecated }),
  };
}
