import { isJsonObject } from "../kernel/json.ts";
import type { OperationParameter, OperationRequest } from "./catalog.ts";
import { buildBody } from "./request/body.ts";
import { cookieHeader, headerOf, queryText } from "./request/parameters.ts";
import { fillPath } from "./request/path.ts";
import { isDefined, styleOf } from "./request/styles.ts";
import { RequestError } from "./request-error.ts";

/** An HTTP request to an upstream, as plain data. */
export interface UpstreamRequest {
  readonly url: string;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array<ArrayBuffer> | undefined;
}

type Arguments = Readonly<Record<string, unknown>>;

/**
 * Turns a tool's arguments, which fit its schema, into the request of its operation. Only what the document declares is
 * sent, and nothing of the agent's own request (checklist 24). Throws a `RequestError`.
 */
export function buildRequest(baseURL: string, request: OperationRequest, given: Arguments): UpstreamRequest {
  const present = request.parameters.filter(({ argument }) => isGiven(given, argument));
  const missing = request.parameters.find((parameter) => isRequired(parameter) && !present.includes(parameter));
  if (missing !== undefined) throw new RequestError(missing.argument, "is required");
  refuseOthersNames(request.parameters, given);

  const path = fillPath(request.path, at("path", present), given);
  const query = [...at("query", present), ...at("querystring", present)]
    .map((parameter) => queryText(parameter, given[parameter.argument]))
    .filter((text) => text !== "");
  const headers = at("header", present).map((parameter) => headerOf(parameter, given[parameter.argument]));
  const cookie = cookieHeader(at("cookie", present), given);
  const body = request.body && buildBody(request.body, request.parameters, given);
  return {
    url: join(baseURL, path, query),
    method: request.method,
    headers: {
      ...Object.fromEntries(headers.filter((header) => header !== undefined)),
      ...(cookie !== undefined && { cookie }),
      accept: request.accept,
      "user-agent": "Countersign",
      ...(body !== undefined && { "content-type": body.contentType }),
    },
    body: body?.content,
  };
}

function isGiven(given: Arguments, argument: string): boolean {
  return Object.hasOwn(given, argument) && given[argument] !== undefined;
}

function isRequired({ in: location, required }: OperationParameter): boolean {
  return location === "path" || required === true;
}

function at(location: OperationParameter["in"], parameters: readonly OperationParameter[]): OperationParameter[] {
  return parameters.filter((parameter) => parameter.in === location);
}

function join(baseURL: string, path: string, query: readonly string[]): string {
  const text = `${baseURL}${path}`;
  const url = new URL(query.length === 0 ? text : `${text}${path.includes("?") ? "&" : "?"}${query.join("&")}`);
  const base = new URL(baseURL);
  const inside = url.origin === base.origin && url.pathname.startsWith(base.pathname.replace(/\/$/, ""));
  if (!inside) throw new RequestError("path", "leaves the API");
  return url.href;
}

type Given = Readonly<Record<string, unknown>>;

/**
 * The members of an exploded object are parameters of their own. None may have the name of another that the document declares:
 * policies and schemas know that one by its own argument only. Throws a `RequestError`.
 */
function refuseOthersNames(parameters: readonly OperationParameter[], given: Given): void {
  for (const parameter of parameters) {
    const value = given[parameter.argument];
    if (!isJsonObject(value) || !isSpread(parameter)) continue;
    const others = parameters.filter((other) => other !== parameter && placeOf(other) === placeOf(parameter));
    const names = new Set(others.map(({ name }) => name));
    const foreign = Object.keys(value).find((name) => names.has(name) && isDefined(value[name]));
    if (foreign === undefined) continue;
    throw new RequestError(parameter.argument, `must not have ${JSON.stringify(foreign)}, a parameter of its own`);
  }
}

/** Whether the names of members come to stand beside those of parameters. */
function isSpread({ in: location, name, content, ...style }: OperationParameter): boolean {
  if (location === "querystring") return content === undefined || content === "form";
  if ((location !== "query" && location !== "cookie") || content !== undefined) return false;
  const { style: known, explode } = styleOf({ ...style, name }, location);
  return explode && known !== "deepObject";
}

function placeOf({ in: location }: OperationParameter): string {
  return location === "querystring" ? "query" : location;
}
