import { createGateway } from "../../../lib/application/gateway.ts";
import type { McpProxyAppConfiguration } from "../../../lib/config/app-configuration.ts";
import type { McpStreamConfiguration } from "../../../lib/config/configuration.ts";
import type { UserTokenConfiguration } from "../../../lib/config/user-token-configuration.ts";
import type { AskingSession, CallConnections, ConnectionWant } from "../../../lib/connections/person-connections.ts";
import type { JsonObject } from "../../../lib/kernel/json.ts";
import { createMcpStream } from "../../../lib/mcp/stream.ts";
import { withOwnExchange } from "../credentials/own-exchange.ts";
import { type GatewayOptions, RESOURCE } from "../started.ts";

export const TOKEN = "gho_the-persons-own-token-1";
export const RENEWED = "gho_the-persons-own-token-2";
export const LINK = "https://us.example/connect/";

export const USER_TOKEN: UserTokenConfiguration = {
  type: "userToken",
  connector: "github",
  scopes: ["notes:read"],
  tools: [{ name: "/create.*/", scopes: ["notes:write"] }],
  perAgent: false,
};

/** An answer of the gateway: what tests read of it. */
export interface Answer {
  readonly result: {
    readonly resultType?: string;
    readonly isError?: boolean;
    readonly content: readonly { readonly text: string }[];
    readonly contents: readonly { readonly text: string }[];
    readonly tools: readonly { readonly name: string }[];
    readonly resources: readonly { readonly uri: string }[];
    readonly inputRequests: {
      readonly connect: { readonly params: { readonly url: string; readonly message: string } };
    };
    readonly requestState: string;
  };
  readonly error: { readonly code: number; readonly message: string; readonly data: unknown };
}

/** What the client's repetition of a request carries. */
export function repeating({ requestState }: Pick<Answer["result"], "requestState">, action = "accept") {
  return { requestState, inputResponses: { connect: { action } } };
}

/** Accounts of one person, which a test connects. */
export interface StandIn extends CallConnections {
  /** What was asked for, with the session that asked. */
  readonly asked: { readonly want: ConnectionWant; readonly session: AskingSession | undefined }[];
  /** From now on there is a connection with these scopes. */
  connect(...scopes: string[]): void;
  /** From now on the provider takes the connection no more when it is refreshed. */
  lose(): void;
  /** How often somebody waits at the moment. */
  waiting(): number;
  /** Ends the waiting of those who wait. */
  giveUp(): void;
}

export function standIn(): StandIn {
  let granted: readonly string[] | undefined;
  let token = TOKEN;
  let isLost = false;
  const asked: StandIn["asked"][number][] = [];
  const waiting = new Set<(isConnected: boolean) => void>();
  const has = (scopes: readonly string[]) => granted !== undefined && scopes.every((scope) => granted?.includes(scope));
  return {
    asked,
    obtain: async ({ scopes, outbound: { connector } }, _, refused) => {
      if (refused !== undefined && isLost) granted = undefined;
      const none = { outcome: "not_connected", connector } as const;
      if (granted === undefined) return { ...none, why: isLost ? "reconnect" : "none", missing: scopes };
      const missing = scopes.filter((scope) => !granted?.includes(scope));
      if (missing.length > 0) return { ...none, why: "scopes", missing };
      if (refused === token) token = RENEWED;
      return { outcome: "obtained", token, connectionId: "connection_1" };
    },
    ask: async (want, _, session) => {
      if (asked.length === 3) return undefined;
      asked.push({ want, session });
      const id = `request-${asked.length}`;
      return { id, url: LINK + id };
    },
    connected: async ({ scopes }, _, signal) => {
      if (has(scopes)) return true;
      const { promise, resolve } = Promise.withResolvers<boolean>();
      waiting.add(resolve);
      signal.addEventListener("abort", () => resolve(false), { once: true });
      return (await promise) && has(scopes);
    },
    connect: (...scopes) => {
      granted = scopes;
      for (const resolve of waiting) resolve(true);
      waiting.clear();
    },
    lose: () => {
      isLost = true;
    },
    waiting: () => waiting.size,
    giveUp: () => {
      for (const resolve of waiting) resolve(false);
      waiting.clear();
    },
  };
}

/** What an upstream is sent, and what it answers. */
export interface Upstreams {
  /** Of the REST API, oldest first. */
  readonly carried: (string | null)[];
  /** What the REST API answers. */
  api: (request: Request) => Response;
  /** What the MCP server answers. */
  mcp: (message: JsonObject, request: Request) => Response;
}

/** The gateway in front of an API and an MCP server that take tokens of the person, and what stands in for its connections. */
export function connectingGateway(options: Pick<GatewayOptions, "catalog"> = {}) {
  const upstreams: Upstreams = { carried: [], api: () => new Response(), mcp: () => new Response() };
  const reach: typeof globalThis.fetch = async (input, init) => {
    const request = new Request(input, init);
    upstreams.carried.push(request.headers.get("authorization"));
    return upstreams.api(request);
  };
  const reachMcp: typeof globalThis.fetch = async (input, init) => {
    const request = new Request(input, init);
    if (request.method !== "POST") return new Response(null, { status: 405 });
    return upstreams.mcp((await request.clone().json()) as JsonObject, request);
  };
  const apps = [MCP_APP] as unknown as [];
  const it = withOwnExchange({
    ...options,
    outbound: USER_TOKEN,
    clients: [],
    apps,
    fetch: reach,
    adapt: (dependencies) => ({ ...dependencies, outbound: () => reachMcp }),
  });
  const begin = () => {
    const connections = standIn();
    const gateway = createGateway(it.gateway.dependencies, { connectors: [] }, undefined, connections);
    const session = { headerName: "Mcp-Session-Id", allowClientTermination: true, timeout: 3_600_000 };
    const stream: McpStreamConfiguration = { path: "/mcp", resource: RESOURCE, session };
    const endpoint = createMcpStream(stream, gateway);
    const { logger } = it.gateway.dependencies;
    const send = (init: RequestInit, signal = new AbortController().signal): Promise<Response> =>
      endpoint(new Request(RESOURCE, { ...init, signal }), {
        requestId: "request",
        logger,
        remoteAddress: "203.0.113.1",
        waitUntil: (work) => void work.catch(() => undefined),
        authenticated: () => undefined,
      });
    return { connections, send };
  };
  /** Milliseconds go by. */
  const later = (milliseconds: number) => it.gateway.clock.set(it.gateway.clock.now() + milliseconds);
  return {
    upstreams,
    begin,
    later,
    token: it.token,
    logs: () => it.gateway.logs,
    dependencies: () => it.gateway.dependencies,
  };
}

const MCP_APP: McpProxyAppConfiguration = {
  type: "mcpProxy",
  name: "ledger",
  namespace: "ledger_",
  transport: "stream",
  url: "https://ledger.example/mcp",
  timeout: 5_000,
  concurrency: 4,
  shareable: false,
  inboundTools: [],
  stepUp: [],
  outbound: USER_TOKEN,
};
