import type { OperationBody, OperationParameter, OperationRequest } from "./catalog.ts";
import { joined, parameterValue, percentEncoder } from "./parameter-values.ts";
import { fillPath } from "./path.ts";
import { RequestError } from "./request-error.ts";

/** An HTTP request to an upstream, as plain data. */
export interface UpstreamRequest {
  readonly url: string;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
}

type Arguments = Readonly<Record<string, unknown>>;

/**
 * Turns a tool's arguments into the request of its operation. Only what the document declares is sent, and nothing of the
 * agent's own request (checklist 24). Throws a `RequestError`.
 */
export function buildRequest(baseURL: string, request: OperationRequest, given: Arguments): UpstreamRequest {
  const present = request.parameters.filter(({ argument }) => isGiven(given, argument));
  const missing = request.parameters.find((parameter) => parameter.required && !present.includes(parameter));
  if (missing !== undefined) throw new RequestError(missing.argument, "is required");

  const path = fillPath(request.path, at("path", present), given);
  const query = at("query", present).flatMap((parameter) => queryPairs(parameter, given[parameter.argument]));
  const body = request.body && buildBody(request.body, given);
  return {
    url: join(baseURL, path, query),
    method: request.method,
    headers: {
      ...Object.fromEntries(at("header", present).map((parameter) => header(parameter, given[parameter.argument]))),
      accept: request.accept,
      "user-agent": "Countersign",
      ...(request.body !== undefined && body !== undefined && { "content-type": request.body.contentType }),
    },
    body,
  };
}

function isGiven(given: Arguments, argument: string): boolean {
  return Object.hasOwn(given, argument) && given[argument] !== undefined;
}

function at(location: OperationParameter["in"], parameters: readonly OperationParameter[]): OperationParameter[] {
  return parameters.filter((parameter) => parameter.in === location);
}

/** OpenAPI, Style Values: `form`. */
function queryPairs({ argument, name, explode }: OperationParameter, given: unknown): string[] {
  const value = parameterValue(argument, given);
  const encode = percentEncoder(argument);
  if (explode && value.kind === "list") return value.values.map((entry) => `${encode(name)}=${encode(entry)}`);
  if (explode && value.kind === "members")
    return value.members.map(([key, entry]) => `${encode(key)}=${encode(entry)}`);
  return [`${encode(name)}=${joined(value, false, encode)}`];
}

function header({ argument, name, explode }: OperationParameter, given: unknown): [string, string] {
  const text = joined(parameterValue(argument, given), explode, (part) => part);
  // RFC 9110 §5.5: visible characters, spaces and tabs; a line break would start another header.
  if (!/^[\t\x20-\x7e\x80-\xff]*$/.test(text)) throw new RequestError(argument, "cannot be sent in an HTTP header");
  return [name.toLowerCase(), text];
}

function buildBody({ from, required }: OperationBody, given: Arguments): string | undefined {
  if ("argument" in from) return isGiven(given, from.argument) ? JSON.stringify(given[from.argument]) : undefined;
  const members = from.properties
    .filter(({ argument }) => isGiven(given, argument))
    .map(({ argument, name }) => [name, given[argument]]);
  return required || members.length > 0 ? JSON.stringify(Object.fromEntries(members)) : undefined;
}

function join(baseURL: string, path: string, query: readonly string[]): string {
  const text = `${baseURL}${path}`;
  const url = new URL(query.length === 0 ? text : `${text}${path.includes("?") ? "&" : "?"}${query.join("&")}`);
  const base = new URL(baseURL);
  const inside = url.origin === base.origin && url.pathname.startsWith(base.pathname.replace(/\/$/, ""));
  if (!inside) throw new RequestError("path", "leaves the API");
  return url.href;
}
