import { mkdtempSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { freePort } from "../../test/support/free-port.ts";
import { startServer, writeConfiguration } from "../support/countersign.ts";
import { OPENAPI } from "../support/mcp-server.ts";
import { type RunningProcess, startProcess } from "../support/process.ts";
import { APPS, AUDIENCES, REST } from "./terms.ts";

export interface ServerProcess extends RunningProcess {
  readonly port: number;
}

export interface Issuer extends ServerProcess {
  /** JWTs of agents, good for a gateway. */
  tokens(audience: string, count: number): Promise<readonly string[]>;
}

export async function startIssuer(): Promise<Issuer> {
  const server = await startProgram("issuer");
  return {
    ...server,
    tokens: async (audience, count) => {
      const query = new URLSearchParams({ audience, count: String(count) });
      return (await (await fetch(`http://localhost:${server.port}/tokens?${query}`)).json()) as readonly string[];
    },
  };
}

/** @param tools how many tools it has; absent: the two that are called */
export function startUpstream(tools?: number): Promise<ServerProcess> {
  return startProgram("upstream", tools === undefined ? [] : [String(tools)]);
}

export function startForwarder(upstream: ServerProcess): Promise<ServerProcess> {
  return startProgram("forwarder", [urlOf(upstream)]);
}

/** What forwarding with two durable rows a call costs at least on Node. */
export function startLimit(parent: string, upstream: Pick<ServerProcess, "port">): Promise<ServerProcess> {
  return startProgram("limit", [urlOf(upstream), join(mkdtempSync(join(parent, "limit-")), "store")]);
}

/** Where a server of this benchmark answers MCP. */
export function urlOf({ port }: Pick<ServerProcess, "port">): string {
  return `http://localhost:${port}/mcp`;
}

async function startProgram(name: string, more: readonly string[] = []): Promise<ServerProcess> {
  const port = await freePort();
  const program = fileURLToPath(new URL(`./${name}.ts`, import.meta.url));
  const ready = `http://localhost:${port}/`;
  return { port, ...(await startProcess(process.execPath, [program, String(port), ...more], ready)) };
}

/** What is not as usual in a gateway. */
interface DifferentGateway {
  /** A CEL expression. */
  readonly policy?: string;
  readonly catalog?: { readonly search: "off" | "on" };
  /** An app for each. */
  readonly kinds?: readonly (keyof typeof APPS)[];
  /** Of the REST API that is an app as well; absent: there is none. */
  readonly api?: string;
}

/** Countersign as it ships, with everything that a call can be asked for: a JWT, scopes, a policy, an exchange, a durable record. */
export async function startGateway(
  parent: string,
  issuer: ServerProcess,
  upstream: ServerProcess,
  flagsOfNode: readonly string[] = [],
  { policy = POLICY, catalog, kinds = ["kept", "unkept"], api }: DifferentGateway = {},
): Promise<ServerProcess> {
  const folder = mkdtempSync(join(parent, "gateway-"));
  const port = await freePort();
  const wellKnown = `http://localhost:${issuer.port}/.well-known/openid-configuration`;
  const configuration = writeConfiguration(folder, port, {
    connectors: [
      {
        name: "company",
        type: "oidc",
        oauthClientID: "gateway",
        oauthClientSecret: "secret-of-the-gateway",
        oidcWellKnownURL: wellKnown,
      },
    ],
    mcpProvider: {
      enabled: true,
      transports: { stream: { enabled: true, path: "/mcp", session: { enabled: true } } },
      allowedHosts: ["localhost", "127.0.0.1"],
      catalog,
      authorization: {
        oauth: {
          enabled: true,
          metadataPath: "/.well-known/oauth-protected-resource",
          servers: [
            { wellKnownEndpoint: wellKnown, tokenValidation: { method: "jwt", expectedAudiences: [urlOf({ port })] } },
          ],
        },
      },
    },
    apps: [
      ...kinds.map((kind) => ({
        name: APPS[kind],
        type: "mcpProxy",
        upstream: { stream: { url: urlOf(upstream) } },
        authorization: {
          inbound: { members: "any", cel: policy, tools: [{ name: "/.*/", scopes: ["ledger:read"] }] },
          outbound: {
            type: "tokenExchange",
            tokenExchange: {
              idp: "company",
              audience: AUDIENCES[kind],
              tools: [{ name: "/.*/", ttl: "1h", scopes: [{ name: "ledger:read" }] }],
            },
          },
        },
      })),
      ...(api === undefined ? [] : [restApp(api)]),
    ],
  });
  return { port, ...(await startServer(configuration, `http://localhost:${port}`, flagsOfNode)) };
}

/** Open to everybody who has a token of the gateway's. */
function restApp(baseURL: string): unknown {
  const authorization = { inbound: { members: "any" }, outbound: { type: "unprotected" } };
  return { name: REST.app, type: "mcpBridge", openapi: { spec: { uri: OPENAPI }, baseURL }, authorization };
}

const POLICY =
  '"clerk" in token.claims.roles && request.mcp.tool.params.name in ["getEntry", "getStatement", "exportEntries"]';
