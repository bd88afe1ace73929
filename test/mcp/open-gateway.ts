import { readFileSync } from "node:fs";
import type { Dependencies } from "../../lib/application/dependencies.ts";
import type { Configuration, McpProviderConfiguration } from "../../lib/config/configuration.ts";
import type { Catalog } from "../../lib/openapi/catalog.ts";
import { compileCatalog } from "../../lib/openapi/compile.ts";
import { initialize } from "../behaviour/mcp/session.ts";
import { type InProcess, ISSUER, startInProcess } from "../support/in-process.ts";

export const HEADER = "X-Agent-Session";
export const HOUR = 3_600_000;

/** The product in this process as a gateway that anybody may use, with a clock that the test sets. */
export interface OpenGateway extends InProcess {
  post(body: unknown, headers?: Readonly<Record<string, string>>, signal?: AbortSignal): Promise<Response>;
  /** The headers of a new session. */
  open(): Promise<Readonly<Record<string, string>>>;
  get(headers: Readonly<Record<string, string>>, signal?: AbortSignal): Promise<Response>;
  /** From now on the configuration has these tools and no others. */
  serveOnly(tool: (name: string) => boolean): void;
  /** From now on the configuration has this gateway, or none. */
  serve(change: (mcpProvider: McpProviderConfiguration) => McpProviderConfiguration | undefined): void;
}

export interface OpenGatewayOptions {
  readonly session?: Partial<NonNullable<NonNullable<McpProviderConfiguration["stream"]>["session"]>>;
  readonly sse?: Partial<NonNullable<McpProviderConfiguration["sse"]>>;
  /** When tools are offered by search; by default never. */
  readonly catalog?: McpProviderConfiguration["catalog"];
  /** Where the tools' API is; by default nowhere. */
  readonly upstreamURL?: string;
  readonly adapt?: (dependencies: Dependencies) => Dependencies;
}

export async function openGateway({
  session,
  sse,
  catalog: offered,
  upstreamURL,
  adapt = (same) => same,
}: OpenGatewayOptions = {}): Promise<OpenGateway> {
  const catalog = await notes();
  const configured = (tools: Catalog["tools"]): Partial<Configuration> => ({
    mcpProvider: {
      serverName: "gateway",
      stream: {
        path: "/mcp",
        resource: `${ISSUER}/mcp`,
        session: { headerName: HEADER, allowClientTermination: true, timeout: HOUR, ...session },
      },
      sse: { path: "/sse", messagePath: "/messages", resource: `${ISSUER}/sse`, timeout: HOUR, ...sse },
      oauth: { enabled: false, metadataPath: "/resource-metadata", servers: [] },
      allowedOrigins: [ISSUER],
      allowedHosts: [new URL(ISSUER).host],
      ...(offered !== undefined && { catalog: offered }),
    },
    apps: [
      {
        type: "mcpBridge",
        name: "notes",
        catalog: { ...catalog, tools },
        baseURL: upstreamURL ?? "http://127.0.0.1:9",
        timeout: HOUR,
        inboundTools: [],
        stepUp: [],
        outbound: { type: "unprotected" },
      },
    ],
  });
  let served: { readonly revision: number; readonly configuration: Configuration } | undefined;
  const inProcess = await startInProcess({
    configuration: configured(catalog.tools),
    adapt: (dependencies) => adapt({ ...dependencies, configuration: () => served ?? dependencies.configuration() }),
  });
  const post: OpenGateway["post"] = (body, headers = {}, signal = new AbortController().signal) =>
    inProcess.send("/mcp", {
      method: "POST",
      headers: { "content-type": "application/json", accept: "application/json, text/event-stream", ...headers },
      body: JSON.stringify(body),
      signal,
    });
  return {
    ...inProcess,
    post,
    open: async () => {
      const response = await post(initialize());
      await response.text();
      return { [HEADER]: response.headers.get(HEADER) ?? "" };
    },
    get: (headers, signal) =>
      inProcess.send("/mcp", { headers: { accept: "text/event-stream", ...headers }, ...(signal && { signal }) }),
    serveOnly: (isServed) => {
      const { revision, configuration } = inProcess.dependencies.configuration();
      const tools = catalog.tools.filter(({ localName }) => isServed(localName));
      served = { revision: revision + 1, configuration: { ...configuration, ...configured(tools) } };
    },
    serve: (change) => {
      const { revision, configuration } = inProcess.dependencies.configuration();
      const { mcpProvider, ...others } = configuration;
      const changed = mcpProvider && change(mcpProvider);
      served = { revision: revision + 1, configuration: { ...others, ...(changed && { mcpProvider: changed }) } };
    },
  };
}

async function notes(): Promise<Catalog> {
  const text = readFileSync(new URL("../support/upstream.openapi.yaml", import.meta.url), "utf8");
  const result = await compileCatalog(text, { app: "notes", namespace: { disabled: true } });
  if ("errors" in result) throw new Error(JSON.stringify(result.errors));
  return result.catalog;
}
