import { readFileSync } from "node:fs";
import type { McpProviderConfiguration } from "../../../lib/config/configuration.ts";
import type { Catalog } from "../../../lib/openapi/catalog.ts";
import { compileCatalog } from "../../../lib/openapi/compile.ts";
import { type InProcess, ISSUER, startInProcess } from "../../support/in-process.ts";
import { type Introspect, type StubServer, stubServer } from "./stub-server.ts";

export const STREAM_URL = `${ISSUER}/mcp`;
export const SSE_URL = `${ISSUER}/legacy/sse`;

/** Each path that agents send requests to, with the URL that its tokens are meant for and the one of its metadata. */
export const MCP_PATHS = [
  { path: "/mcp", resource: STREAM_URL, metadata: `${ISSUER}/resource-metadata` },
  { path: "/legacy/sse", resource: SSE_URL, metadata: `${ISSUER}/.well-known/oauth-protected-resource/legacy/sse` },
  {
    path: "/legacy/messages",
    resource: SSE_URL,
    metadata: `${ISSUER}/.well-known/oauth-protected-resource/legacy/sse`,
  },
] as const;

export interface BothTransports extends InProcess {
  readonly server: StubServer;
  /** Addresses that the gateway fetched, in order. */
  readonly fetched: readonly string[];
  /** A token for either transport, good for as long as tests run. */
  token(scope?: string): Promise<string>;
}

/** The product in this process with Streamable HTTP, HTTP+SSE and an authorization server, before an API that is not there. */
export async function bothTransports(
  more: Partial<McpProviderConfiguration> = {},
  introspect?: Introspect,
): Promise<BothTransports> {
  const server = await stubServer(introspect);
  const fetched: string[] = [];
  const introspection = { clientID: "gateway", clientSecret: "secret", timeout: 1_000, maxRetries: 0 };
  const trusted = {
    wellKnownEndpoint: server.wellKnown,
    refreshInterval: 86_400_000,
    expectedAudiences: [STREAM_URL, SSE_URL],
    method: "auto",
    clockSkew: 0,
    introspection,
  } as const;
  const inProcess = await startInProcess({
    configuration: {
      mcpProvider: {
        serverName: "gateway",
        stream: {
          path: "/mcp",
          resource: STREAM_URL,
          session: { headerName: "X-Agent-Session", allowClientTermination: true, timeout: 3_600_000 },
        },
        sse: { path: "/legacy/sse", messagePath: "/legacy/messages", resource: SSE_URL, timeout: 3_600_000 },
        oauth: { enabled: true, metadataPath: "/resource-metadata", servers: [trusted] },
        allowedOrigins: [ISSUER, "https://agent.example"],
        allowedHosts: ["us.example"],
        ...more,
      },
      apps: [
        {
          type: "mcpBridge",
          name: "notes",
          catalog: await catalog(),
          baseURL: "https://notes.example",
          timeout: 1_000,
          inboundTools: [
            { name: "getNote", scopes: ["notes:read"] },
            { name: "createNote", scopes: ["notes:read", "notes:write"] },
          ],
          stepUp: [],
          outbound: { type: "unprotected" },
        },
      ],
    },
    adapt: (dependencies) => ({
      ...dependencies,
      fetch: (input, init) => {
        fetched.push(String(input));
        return server.fetch(input, init);
      },
    }),
  });
  const token = (scope = "notes:read") =>
    server.sign({ aud: [STREAM_URL, SSE_URL], scope, exp: Math.floor(inProcess.clock.now() / 1_000) + 3_600 });
  return { ...inProcess, server, fetched, token };
}

/** One tool wants an argument of it in a header, too (MCP 2026-07-28, Transports). */
async function catalog(): Promise<Catalog> {
  const text = readFileSync(new URL("../../support/upstream.openapi.yaml", import.meta.url), "utf8");
  const result = await compileCatalog(text, { app: "notes", namespace: { disabled: true } });
  if ("errors" in result) throw new Error(JSON.stringify(result.errors));
  const tools = result.catalog.tools.map((tool) => {
    if (tool.localName !== "getNote") return tool;
    return { ...tool, paramHeaders: [{ name: "Mcp-Param-Note-Id", path: ["noteId"] }] };
  });
  return { ...result.catalog, tools };
}
