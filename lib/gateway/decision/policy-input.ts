import type { McpProviderConfiguration } from "../../config/configuration.ts";
import type { PolicyInput } from "../../policy/policy.ts";
import type { RequestContext } from "../../telemetry/request-context.ts";
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
 */
export function policyInput(
  mcp: PolicyInput["request"]["mcp"],
  { identity, http, request, sessionId }: PolicyCaller,
  { mcpProvider }: InputPorts,
): PolicyInput {
  return {
    request: {
      http: httpInput(http, request, mcpProvider),
      mcp: { ...mcp, ...(sessionId !== undefined && { session: sessionId }) },
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

/** Most policies read neither the path nor a header: both are made when they are read. */
function httpInput(
  http: HttpFacts,
  { remoteAddress }: Pick<RequestContext, "remoteAddress">,
  { stream }: InputPorts["mcpProvider"],
): PolicyInput["request"]["http"] {
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
    ...(remoteAddress !== undefined && { remoteAddress }),
  };
}

/** Whoever has one of these is the caller. */
const CREDENTIALS = ["authorization", "proxy-authorization", "cookie", "mcp-session-id"];

function headersWithout(withheld: ReadonlySet<string | undefined>, headers: Headers): Readonly<Record<string, string>> {
  const shown = [...headers].filter(([name]) => !withheld.has(name));
  return Object.fromEntries(shown.map(([name, value]) => [canonical(name), value]));
}

/** `user-agent` as `User-Agent`: names are compared without regard to case, policies do with it. */
function canonical(name: string): string {
  return name.replace(/(?<=^|-)[a-z]/g, (letter) => letter.toUpperCase());
}
