import type { McpProviderConfiguration } from "../../config/configuration.ts";
import { lazyProperties } from "../../kernel/lazy-properties.ts";
import type { PreparedRequest } from "../../openapi/invoke.ts";
import type {
  Attributes,
  HttpMessageInput,
  HttpRequestInput,
  McpPolicyInput,
  McpRequestInput,
  PolicyInput,
} from "../../policy/policy.ts";
import type { Principal } from "../identity.ts";
import type { HttpFacts, ToolCall } from "../tool-call.ts";

/** Who calls, lists or asks, and by which request. */
export type PolicyCaller = Pick<ToolCall, "http" | "request" | "sessionId"> & {
  /** Undefined where nobody is authenticated. */
  readonly identity: Principal | undefined;
  /** What connectors said of the person; absent: nothing. */
  readonly attributes?: Attributes;
  /** Nobody knows what the request would carry as its token: policies that are shown it cannot be asked. */
  readonly isTokenUnknown?: boolean;
};

interface InputPorts {
  /** Absent: the instance has no MCP endpoint. */
  readonly mcpProvider?: Pick<McpProviderConfiguration, "stream"> | undefined;
}

/**
 * What policies learn of a request, without its `Authorization` header.
 *
 * @param mcp what is asked, of which app
 * @param made makes the request that the gateway would make; absent: it would make none
 */
export function policyInput(
  mcp: Omit<McpRequestInput, "http">,
  { identity, http, request, sessionId }: PolicyCaller,
  { mcpProvider }: InputPorts,
  made?: () => PreparedRequest,
): McpPolicyInput {
  const { remoteAddress } = request;
  const asked = {
    ...mcp,
    ...(sessionId !== undefined && { session: sessionId }),
    http: messageInput(http, mcpProvider),
  };
  const shown = withHttp({
    http: () => ({ ...requestInput(made?.()), ...(remoteAddress !== undefined && { remoteAddress }) }),
  });
  return { request: Object.assign(shown, { mcp: asked }), ...callerInput(identity) };
}

/** Most policies do not read it. */
const withHttp = lazyProperties<Pick<PolicyInput["request"], "http">>("http");

/** A request for a web app, as it is decided about and goes to the upstream. */
export interface WebRequestInput {
  /** In upper case. */
  readonly method: string;
  /** In lower case, with its port where it has one. */
  readonly host: string;
  /** Canonical: the one that locations are matched with. */
  readonly path: string;
  /** Empty, or with its `?`. */
  readonly query: string;
  /** As the client sent them. */
  readonly headers: Headers;
  /** Whether a header never reaches the upstream as the client sent it: policies do not see it either. Names in lower case. */
  readonly isWithheld: (name: string) => boolean;
}

/** What policies learn of a request for a web app. Credentials, cookies and what never reaches the upstream are not among it. */
export function webPolicyInput(
  { method, host, path, query, headers, isWithheld }: WebRequestInput,
  { identity, attributes, request }: PolicyCaller,
): PolicyInput {
  const { remoteAddress } = request;
  const http = (): HttpRequestInput & { readonly remoteAddress?: string } => {
    const shown = [...headers].filter(([name]) => !CREDENTIALS.includes(name) && !isWithheld(name));
    return {
      ...{ method, host, path, query: valuesOf([...new URLSearchParams(query)]), headers: shownHeaders(shown) },
      ...(remoteAddress !== undefined && { remoteAddress }),
    };
  };
  return {
    request: withHttp({ http }),
    ...callerInput(identity),
    ...(attributes !== undefined && { attributes }),
  };
}

function callerInput(identity: Principal | undefined): Pick<PolicyInput, "user" | "agent" | "token"> {
  return {
    user: identity?.user ?? {},
    agent: identity?.agent === undefined ? {} : { clientID: identity.agent.clientID },
    token: { claims: identity?.claims ?? {} },
  };
}

/**
 * The input of a policy that the configuration shows the caller's token. A web app's caller has one only as an agent: what else the
 * header says nobody has verified.
 */
export function withToken(input: PolicyInput, { http, identity }: PolicyCaller): PolicyInput {
  const authorization = http.headers.get("authorization");
  const { http: shown, mcp } = input.request;
  if (authorization === null || (mcp === undefined && identity?.agent === undefined)) return input;
  const headers = { ...shown.headers, Authorization: authorization };
  return { ...input, request: { http: { ...shown, headers }, ...(mcp && { mcp }) } };
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

function messageInput(http: HttpFacts, mcpProvider: InputPorts["mcpProvider"]): HttpMessageInput {
  const withheld = [...CREDENTIALS, mcpProvider?.stream?.session?.headerName.toLowerCase()];
  const read = withPathAndHeaders({
    path: () => new URL(http.url).pathname,
    headers: () => headersWithout(new Set(withheld), http.headers),
  });
  return Object.assign(read, { method: http.method });
}

/** Most policies read neither. */
const withPathAndHeaders = lazyProperties<Pick<HttpMessageInput, "path" | "headers">>("path", "headers");

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
