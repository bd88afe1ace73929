import type { PolicyInput, PolicyTool } from "../policy/policy.ts";
import type { Gateway, ToolCall } from "./gateway.ts";

/** Who calls or lists, and by which request. */
export type PolicyCaller = Pick<ToolCall, "identity" | "http" | "request" | "sessionId">;

type Settings = Pick<Gateway, "mcpProvider">;

/** What policies learn of a call, without its `Authorization` header. */
export function policyInput(app: string, tool: PolicyTool, caller: PolicyCaller, gateway: Settings): PolicyInput {
  return inputOf({ method: "tools/call", app, tool }, caller, gateway);
}

/** What policies learn where tools are listed that are asked about all at once. */
export function listInput(
  app: string,
  tools: readonly PolicyTool[],
  caller: PolicyCaller,
  gateway: Settings,
): PolicyInput {
  return inputOf({ method: "tools/list", app, tools }, caller, gateway);
}

/** The input of a policy that the configuration shows the caller's token. */
export function withToken(input: PolicyInput, { http }: PolicyCaller): PolicyInput {
  const authorization = http.headers.get("authorization");
  if (authorization === null) return input;
  const { http: shown, mcp } = input.request;
  const headers = { ...shown.headers, Authorization: authorization };
  return { ...input, request: { http: { ...shown, headers }, mcp } };
}

/** What policies learn of what is no tool. */
export function useInput(mcp: PolicyInput["request"]["mcp"], caller: PolicyCaller, gateway: Settings): PolicyInput {
  return inputOf(mcp, caller, gateway);
}

function inputOf(
  mcp: PolicyInput["request"]["mcp"],
  { identity, http, request, sessionId }: PolicyCaller,
  { mcpProvider }: Settings,
): PolicyInput {
  const { remoteAddress } = request;
  const withheld = new Set([...CREDENTIALS, mcpProvider.stream?.session?.headerName.toLowerCase()]);
  return {
    request: {
      http: {
        method: http.method,
        path: new URL(http.url).pathname,
        headers: headersWithout(withheld, http.headers),
        ...(remoteAddress !== undefined && { remoteAddress }),
      },
      mcp: { ...mcp, ...(sessionId !== undefined && { session: sessionId }) },
    },
    user: identity?.user ?? {},
    agent: identity === undefined ? {} : { clientID: identity.agent.clientID },
    token: { claims: identity?.claims ?? {} },
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
