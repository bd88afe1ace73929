import type { McpProviderConfiguration } from "../../config/configuration.ts";
import type { PreparedRequest } from "../../openapi/invoke.ts";
import type { HttpMessageInput, HttpRequestInput, PolicyInput } from "../../policy/policy.ts";
import type { HttpFacts, ToolCall } from "../tool-call.ts";

/** Who calls or lists, and by which request. */
export type PolicyCaller = Pick<ToolCall, "identity" | "http" | "request" | "sessionId"> & {
  /** Nobody knows what the request would carry as its token: policies that are shown it cannot be asked. */
  readonly isTokenUnknown?: boolean;
};

interface InputPorts {
  readonly mcpProvider: Pick<McpProviderConfiguration, "stream">;
}

/**
 * What policies learn of a request, without its `Authorization` header.
 *
 * @param mcp what is asked, of which app
 * @param made makes the request that the gateway would make; absent: it would make none
 */
export function policyInput(
  mcp: Omit<PolicyInput["request"]["mcp"], "http">,
  { identity, http, request, sessionId }: PolicyCaller,
  { mcpProvider }: InputPorts,
  made?: () => PreparedRequest,
): PolicyInput {
  const { remoteAddress } = request;
  let known: PolicyInput["request"]["http"] | undefined;
  return {
    request: {
      // Most policies do not read it.
      get http() {
        known ??= { ...requestInput(made?.()), ...(remoteAddress !== undefined && { remoteAddress }) };
        return known;
      },
      mcp: {
        ...mcp,
        ...(sessionId !== undefined && { session: sessionId }),
        http: messageInput(http, mcpProvider),
      },
    },
    user: identity?.user ?? {},
    agent: identity === undefined ? {} : { clientID: identity.agent.clientID },
    token: { claims: identity?.claims ?? {} },
  };
}

/** The input of a policy that the configuration shows the caller's token. */
export function withToken(input: PolicyInput, { http }: PolicyCaller): PolicyInput {
  const authorization = http.headers.get("authorization");
  if (authorization === null) return input;
  const { http: shown, mcp } = input.request;
  const headers = { ...shown.headers, Authorization: authorization };
  return { ...input, request: { http: { ...shown, headers }, mcp } };
}

/** What the arguments make; nothing where they make none. The configuration's own part is nobody's to see. */
function requestInput(made: PreparedRequest | undefined): Partial<HttpRequestInput> {
  if (made === undefined || "problems" in made) return {};
  const { method, url, query, headers, form } = made;
  return {
    method,
    path: new URL(url).pathname,
    query: valuesOf([...new URLSearchParams(query)]),
    headers: shownHeaders(Object.entries(headers)),
    ...(form !== undefined && { form: valuesOf(form) }),
  };
}

function valuesOf(pairs: readonly (readonly [name: string, value: string])[]): HttpRequestInput["query"] {
  const groups = Map.groupBy(pairs, ([name]) => name);
  return Object.fromEntries([...groups].map(([name, all]) => [name, all.map(([, value]) => value)]));
}

/** Most policies read neither the path nor a header: both are made when they are read. */
function messageInput(http: HttpFacts, { stream }: InputPorts["mcpProvider"]): HttpMessageInput {
  let headers: Readonly<Record<string, string>> | undefined;
  return {
    method: http.method,
    get path() {
      return new URL(http.url).pathname;
    },
    get headers() {
      headers ??= headersWithout(new Set([...CREDENTIALS, stream?.session?.headerName.toLowerCase()]), http.headers);
      return headers;
    },
  };
}

/** Whoever has one of these is the caller. */
const CREDENTIALS = ["authorization", "proxy-authorization", "cookie", "mcp-session-id"];

function headersWithout(withheld: ReadonlySet<string | undefined>, headers: Headers): Readonly<Record<string, string>> {
  return shownHeaders([...headers].filter(([name]) => !withheld.has(name)));
}

function shownHeaders(headers: readonly (readonly [name: string, value: string])[]): Readonly<Record<string, string>> {
  return Object.fromEntries(headers.map(([name, value]) => [canonical(name), value]));
}

/** `user-agent` as `User-Agent`: names are compared without regard to case, policies do with it. */
function canonical(name: string): string {
  return name.replace(/(?<=^|-)[a-z]/g, (letter) => letter.toUpperCase());
}
