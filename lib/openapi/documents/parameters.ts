import { isJsonObject, type JsonObject } from "../../kernel/json.ts";
import { nearest } from "../../kernel/suggestions.ts";
import { essence, isJson } from "../../protocol/http/media-type.ts";
import type { JsonSchema, LeftOutReason, OperationParameter, ParameterLocation, ParameterStyle } from "../catalog.ts";
import { below } from "./document-error.ts";
import type { Operation, Parameter } from "./operations.ts";
import { bounded, text } from "./plain.ts";
import { resolve } from "./reference.ts";
import { described } from "./schema-adjustments.ts";
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

/** The styles that a location has beside its default (OpenAPI 3.2, Style Values). */
const STYLES: Readonly<Record<ParameterLocation, readonly ParameterStyle[]>> = {
  path: ["label", "matrix"],
  query: ["spaceDelimited", "pipeDelimited", "deepObject"],
  querystring: [],
  header: [],
  cookie: ["cookie"],
};
const LOCATIONS = Object.keys(STYLES) as readonly ParameterLocation[];

/** The parameters of an operation by location, the path's first; or why the operation cannot be a tool. */
export function supportedParameters(
  document: JsonObject,
  operation: Operation,
  schemas: SchemaExtractor,
): readonly SupportedParameter[] | LeftOutReason {
  const supported: SupportedParameter[] = [];
  for (const parameter of operation.parameters) {
    if (isIgnored(parameter)) continue;
    const location = locationOf(parameter);
    if (location !== undefined && isOurs(parameter)) {
      supported.push(support(document, parameter, location, schemas));
    } else if (parameter.definition.required === true) {
      return "unsupported parameter location";
    }
    // A call goes without an optional one that it cannot send.
  }
  return supported.sort((a, b) => LOCATIONS.indexOf(a.in) - LOCATIONS.indexOf(b.in));
}

/** Undefined for one that OpenAPI does not have. */
function locationOf(parameter: Parameter): ParameterLocation | undefined {
  return LOCATIONS.find((location) => location === parameter.in);
}

/** Whether a parameter is one that no call can send, and for which none has to. */
function isUnsupported(parameter: Parameter): boolean {
  return !isIgnored(parameter) && (locationOf(parameter) === undefined || !isOurs(parameter));
}

function isIgnored({ name, in: location }: Parameter): boolean {
  return location === "header" && IGNORED_HEADERS.has(name.toLowerCase());
}

/** Whether the agent may set it: not a header that is reserved or has no name that HTTP allows. */
function isOurs({ name, in: location }: Parameter): boolean {
  return location !== "header" || (!RESERVED_HEADER.test(name) && isToken(name));
}

function support(
  document: JsonObject,
  parameter: Parameter,
  location: ParameterLocation,
  schemas: SchemaExtractor,
): SupportedParameter {
  const { definition, name, pointer } = parameter;
  const content = contentOf(document, definition, pointer);
  const schema = schemas.extract(
    content?.schema ?? definition.schema ?? {},
    content?.pointer ?? below(pointer, "schema"),
  );
  return {
    name,
    in: location,
    ...(location !== "path" && definition.required === true && { required: true }),
    ...(content === undefined ? styleOf(location, name, definition) : { content: content.kind }),
    ...(definition.allowReserved === true && (location === "path" || location === "query") && { allowReserved: true }),
    schema: described(schema, text(definition.description), definition.deprecated === true),
  };
}

/** A style that the location does not have is taken for its default: such a parameter is still one that is worth sending. */
function styleOf(
  location: ParameterLocation,
  name: string,
  { style, explode }: JsonObject,
): Pick<OperationParameter, "style" | "explode"> {
  const odd = STYLES[location].find((one) => one === style);
  const known = odd === "cookie" && !isToken(name) ? undefined : odd;
  const isExploded = known === undefined ? location === "query" || location === "cookie" : known === "cookie";
  return {
    ...(known !== undefined && { style: known }),
    ...(typeof explode === "boolean" && explode !== isExploded && known !== "deepObject" && { explode }),
  };
}

interface Content {
  readonly kind: NonNullable<OperationParameter["content"]>;
  readonly schema: unknown;
  readonly pointer: string;
}

/** The one media type of a parameter that has no style (OpenAPI, Parameter Object, `content`). */
function contentOf(document: JsonObject, { content }: JsonObject, pointer: string): Content | undefined {
  const [entry] = isJsonObject(content) ? Object.entries(content) : [];
  if (entry === undefined) return undefined;
  const [key, mediaType] = entry;
  const { value, pointer: at } = resolve(document, mediaType, below(pointer, "content", key));
  const schema = isJsonObject(value) ? value.schema : undefined;
  return { kind: contentKind(essence(key)), schema, pointer: below(at, "schema") };
}

function contentKind(name: string): Content["kind"] {
  if (isJson(name) || name.includes("*")) return "json";
  return name === "application/x-www-form-urlencoded" ? "form" : "text";
}

/** Whether HTTP allows the name for a header (RFC 9110 §5.6.2). */
function isToken(name: string): boolean {
  return /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(name);
}

/** Characters of a name that are shown. */
const NAME_LENGTH = 100;

/** The parameter that a call cannot send and cannot go without, for people. */
export function unsupportedParameter({ parameters }: Operation): string | undefined {
  const first = parameters.find((parameter) => parameter.definition.required === true && isUnsupported(parameter));
  if (first === undefined) return undefined;
  if (locationOf(first) === undefined) return misplaced(first);
  const name = bounded(first.name, NAME_LENGTH);
  return isToken(first.name) ? `the header ${name} is not the agent's to set` : `HTTP has no header "${name}"`;
}

/** Optional parameters at places that OpenAPI does not have: tools do without them. */
export function misplacedParameters({ parameters }: Operation): readonly string[] {
  return parameters
    .filter((parameter) => parameter.definition.required !== true && locationOf(parameter) === undefined)
    .map(misplaced);
}

function misplaced({ name, in: location }: Parameter): string {
  const meant = nearest(location, LOCATIONS);
  const help = meant === undefined ? `accepted: ${LOCATIONS.join(", ")}` : `did you mean "${meant}"?`;
  return `"${bounded(name, NAME_LENGTH)}" is in "${bounded(location, NAME_LENGTH)}"; ${help}`;
}
