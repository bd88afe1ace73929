import { mintAccessToken } from "../../../lib/authorization-server/tokens/access-token.ts";
import { grantShard, newChainId } from "../../../lib/authorization-server/tokens/sharding.ts";
import type { McpProxyAppConfiguration } from "../../../lib/config/app-configuration.ts";
import type { ConfigurationSnapshot } from "../../../lib/config/configuration.ts";
import { ulid } from "../../../lib/kernel/ids.ts";
import { type Message, messagesOf } from "../../behaviour/mcp/events.ts";
import { request } from "../../behaviour/mcp/session.ts";
import { modern, modernHeaders, type Params } from "../../behaviour/mcp/stateless-fixture.ts";
import { RESOURCE, trusted } from "../../gateway/started.ts";
import { HOUR } from "../../mcp/open-gateway.ts";
import { type InProcess, PROVIDER, startInProcess } from "../../support/in-process.ts";
import { proxyApp } from "../tools/proxying-gateway.ts";

const SESSION = "Mcp-Session-Id";

/** The product in this process before one MCP server, for whoever brings a token. */
export interface GuardedProxy extends InProcess {
  /** A token of this instance. */
  token(who?: Who): Promise<string>;
  post(body: unknown, token: string, headers?: Readonly<Record<string, string>>): Promise<Response>;
  /** The answer to a request of the stateless generation. */
  ask(method: string, params: Params, token: string): Promise<Message | undefined>;
  /** Headers of a new session. */
  open(token: string, capabilities?: object): Promise<Readonly<Record<string, string>>>;
  /** From the next request on the MCP server is there. */
  moveTo(url: string): void;
}

export interface Who {
  readonly subject?: string;
  readonly clientId?: string;
  readonly claims?: Readonly<Record<string, string>>;
}

/** @param more of the app `ledger` */
export async function guardedProxy(url: string, more: Partial<McpProxyAppConfiguration> = {}): Promise<GuardedProxy> {
  const apps = (at: string) => [proxyApp("ledger", { url: at, ...more })];
  let moved: ConfigurationSnapshot | undefined;
  const inProcess = await startInProcess({
    adapt: (dependencies) => ({ ...dependencies, configuration: () => moved ?? dependencies.configuration() }),
    configuration: {
      mcpProvider: {
        serverName: "gateway",
        stream: {
          path: "/mcp",
          resource: RESOURCE,
          session: { headerName: SESSION, allowClientTermination: true, timeout: HOUR },
        },
        oauth: {
          enabled: true,
          metadataPath: "/resource-metadata",
          servers: [trusted(PROVIDER.endpoints.wellKnown, { method: "auto" })],
        },
        allowedOrigins: [],
        allowedHosts: [],
      },
      apps: apps(url),
    },
  });
  inProcess.clock.set(Date.now());
  const post: GuardedProxy["post"] = (body, token, headers = {}) =>
    inProcess.send("/mcp", {
      method: "POST",
      headers: {
        authorization: `Bearer ${token}`,
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
        ...headers,
      },
      body: typeof body === "string" ? body : JSON.stringify(body),
    });
  return {
    ...inProcess,
    post,
    token: (who) => tokenOf(who, inProcess),
    ask: async (method, params, token) => {
      const answers = await messagesOf(await post(modern(method, params), token, modernHeaders(method, params)));
      return answers.find((message) => message.method === undefined);
    },
    open: async (token, capabilities = {}) => {
      const clientInfo = { name: "agent", version: "1" };
      const hello = request("initialize", { protocolVersion: "2025-11-25", capabilities, clientInfo });
      const response = await post(hello, token);
      await response.text();
      return { [SESSION]: response.headers.get(SESSION) ?? "" };
    },
    moveTo: (at) => {
      const { revision, configuration } = inProcess.dependencies.configuration();
      moved = { revision: revision + 1, configuration: { ...configuration, apps: apps(at) } };
    },
  };
}

async function tokenOf(who: Who = {}, { dependencies, clock }: InProcess): Promise<string> {
  const { subject = "user_alice", clientId = "an-agent", claims = {} } = who;
  const now = clock.now();
  const record = {
    chainId: newChainId(grantShard(subject, clientId), now, dependencies.random),
    tokenId: `tok_${ulid(now, dependencies.random)}`,
    clientId,
    subject,
    audience: RESOURCE,
    scopes: [],
    issuedAt: now,
    expiresAt: now + HOUR,
    claims,
  };
  return (await mintAccessToken(record, "jwt", dependencies)).text;
}
