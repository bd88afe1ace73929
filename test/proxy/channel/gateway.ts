import type { Dependencies } from "../../../lib/application/dependencies.ts";
import type { McpProxyAppConfiguration } from "../../../lib/config/app-configuration.ts";
import type { Configuration } from "../../../lib/config/configuration.ts";
import { type EventReader, type Message, messagesOf, readEvents } from "../../behaviour/mcp/events.ts";
import { request } from "../../behaviour/mcp/session.ts";
import { HOUR } from "../../mcp/open-gateway.ts";
import { type InProcess, ISSUER, startInProcess } from "../../support/in-process.ts";
import type { Json } from "./session-upstream.ts";

const HEADER = "Mcp-Session-Id";

/** The product in this process in front of upstream MCP servers, for anybody. */
export interface ProxyGateway extends InProcess {
  post(body: unknown, headers?: Readonly<Record<string, string>>, signal?: AbortSignal): Promise<Response>;
  /** The answer to a request of a session. */
  ask(body: unknown, headers?: Readonly<Record<string, string>>): Promise<Message>;
  /** A new session of an agent that can do this. */
  open(capabilities?: Json): Promise<AgentSession>;
  /** The stream of a session. */
  get(session: AgentSession): Promise<EventReader>;
  remove(session: AgentSession): Promise<Response>;
}

export interface AgentSession {
  readonly headers: Readonly<Record<string, string>>;
  /** The result of `initialize`. */
  readonly said: Json;
}

/**
 * @param upstreams URLs by app; each app has its own name in front of its tools, unless it is called `plain`
 * @param terms of each app
 */
export async function proxyGateway(
  upstreams: Readonly<Record<string, string>>,
  adapt?: (dependencies: Dependencies) => Dependencies,
  terms: Partial<McpProxyAppConfiguration> = {},
): Promise<ProxyGateway> {
  const configuration: Partial<Configuration> = {
    mcpProvider: {
      serverName: "gateway",
      stream: {
        path: "/mcp",
        resource: `${ISSUER}/mcp`,
        session: { headerName: HEADER, allowClientTermination: true, timeout: HOUR },
      },
      sse: { path: "/sse", messagePath: "/messages", resource: `${ISSUER}/sse`, timeout: HOUR },
      oauth: { enabled: false, metadataPath: "/resource-metadata", servers: [] },
      allowedOrigins: [ISSUER],
      allowedHosts: [new URL(ISSUER).host],
    },
    apps: Object.entries(upstreams).map(([name, url]) => ({ ...app(name, url), ...terms })),
  };
  const inProcess = await startInProcess({ configuration, ...(adapt && { adapt }) });
  const post: ProxyGateway["post"] = (body, headers = {}, signal = new AbortController().signal) =>
    inProcess.send("/mcp", {
      method: "POST",
      headers: { "content-type": "application/json", accept: "application/json, text/event-stream", ...headers },
      body: typeof body === "string" ? body : JSON.stringify(body),
      signal,
    });
  const ask: ProxyGateway["ask"] = async (body, headers) => onlyAnswer(await messagesOf(await post(body, headers)));
  return {
    ...inProcess,
    post,
    ask,
    open: async (capabilities = {}) => {
      const clientInfo = { name: "agent", version: "7" };
      const response = await post(request("initialize", { protocolVersion: "2025-11-25", capabilities, clientInfo }));
      const headers = { [HEADER]: response.headers.get(HEADER) ?? "" };
      return { headers, said: onlyAnswer(await messagesOf(response)).result ?? {} };
    },
    get: async ({ headers }) =>
      readEvents(await inProcess.send("/mcp", { headers: { accept: "text/event-stream", ...headers } })),
    remove: ({ headers }) => inProcess.send("/mcp", { method: "DELETE", headers }),
  };
}

function app(name: string, url: string): McpProxyAppConfiguration {
  return {
    type: "mcpProxy",
    name,
    namespace: name === "plain" ? "" : `${name}_`,
    transport: "stream",
    url,
    timeout: 5_000,
    concurrency: 16,
    shareable: true,
    methods: ["notifications/x", "notifications/odd", "notifications/vendor"],
    inboundTools: [],
    stepUp: [],
    outbound: { type: "unprotected" },
  };
}

function onlyAnswer(messages: readonly Message[]): Message {
  const answer = messages.find(({ method }) => method === undefined);
  if (answer === undefined) throw new Error(`no answer: ${JSON.stringify(messages)}`);
  return answer;
}
