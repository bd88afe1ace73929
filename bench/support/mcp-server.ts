import { mkdtempSync } from "node:fs";
import { join } from "node:path";
import { freePort } from "../../test/support/free-port.ts";
import { startServer, writeConfiguration } from "./countersign.ts";
import type { RunningProcess } from "./process.ts";

const OPENAPI = new URL("../../test/support/upstream.openapi.yaml", import.meta.url).href;

export interface McpServer extends RunningProcess {
  readonly port: number;
  /** Only when it was asked for. */
  readonly inspectorPort: number;
}

/** Countersign as it ships, as a gateway with sessions in its embedded store; nobody is authenticated. */
export async function startMcpServer(parent: string, isInspected = false): Promise<McpServer> {
  const folder = mkdtempSync(join(parent, "mcp-"));
  const port = await freePort();
  const configuration = writeConfiguration(folder, port, {
    mcpProvider: {
      enabled: true,
      transports: { stream: { enabled: true, path: "/mcp", session: { enabled: true } } },
      allowedHosts: ["localhost", "127.0.0.1"],
    },
    apps: [
      {
        name: "upstream",
        type: "mcpBridge",
        openapi: { spec: { uri: OPENAPI }, baseURL: "http://localhost:9" },
        authorization: { outbound: { type: "unprotected" } },
      },
    ],
  });
  const inspectorPort = await freePort();
  const flags = isInspected ? [`--inspect=127.0.0.1:${inspectorPort}`] : [];
  return { port, inspectorPort, ...(await startServer(configuration, `http://localhost:${port}`, flags)) };
}
