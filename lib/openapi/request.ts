import type { OperationParameter, OperationRequest } from "./catalog.ts";
import { buildBody } from "./request/body.ts";
import { cookiePairs, headerOf, queryPairs } from "./request/parameters.ts";
import { fillPath } from "./request/path.ts";
import { checkSpellings } from "./request/spellings.ts";
import { checkNames } from "./request/written-names.ts";
import { RequestError } from "./request-error.ts";

/** An HTTP request to an upstream, as plain data. */
export interface UpstreamRequest {
  readonly url: string;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array<ArrayBuffer> | undefined;
  /** Of the URL, without what the API's own URL has: as it is on the wire, without `?`. */
  readonly query: string;
  /** Names and values of a form or of parts, as the API reads them; of a file, its name. Absent: the body is none. */
  readonly form?: readonly (readonly [name: string, value: string])[];
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

  const base = new URL(baseURL);
  const { path, names } = fillPath(request.path, at("path", present), given);
  const query = [...at("query", present), ...at("querystring", present)].flatMap((parameter) =>
    queryPairs(parameter, given[parameter.argument]),
  );
  const headers = at("header", present)
    .map((parameter) => headerOf(parameter, given[parameter.argument]))
    .filter((header) => header !== undefined);
  const cookies = at("cookie", present).flatMap((parameter) => cookiePairs(parameter, given[parameter.argument]));
  const body = request.body && buildBody(request.body, request.parameters, given);
  const written = [...names, ...query, ...headers, ...cookies, ...(body?.form ?? [])];
  checkNames(written, request.declared, [...base.searchParams.keys()]);
  checkSpellings(given, request.declared.schema);
  return {
    ...target(base, path, query),
    method: request.method,
    headers: {
      ...Object.fromEntries(headers.map(({ name, value }) => [name, value])),
      ...(cookies.length > 0 && { cookie: cookies.map(({ text }) => text).join("; ") }),
      accept: request.accept,
      "user-agent": "Countersign",
      ...(body !== undefined && { "content-type": body.contentType }),
    },
    body: body?.content,
    ...(body?.form !== undefined && { form: body.form.map(({ name, value }) => [name, value] as const) }),
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

function target(
  base: URL,
  path: string,
  query: readonly { readonly text: string }[],
): Pick<UpstreamRequest, "url" | "query"> {
  const root = base.pathname.replace(/\/$/, "");
  const [name = "", ...fixed] = path.split("?");
  const own = joined([fixed.join("?"), ...query.map(({ text }) => text)]);
  const whole = joined([base.search.slice(1), own]);
  const url = new URL(`${base.origin}${root}${name}${whole === "" ? "" : `?${whole}`}`);
  const inside = url.origin === base.origin && url.pathname.startsWith(root);
  if (!inside) throw new RequestError("path", "leaves the API");
  return { url: url.href, query: own };
}

function joined(members: readonly string[]): string {
  return members.filter((text) => text !== "").join("&");
}
