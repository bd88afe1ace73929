import { generateKeyPairSync } from "node:crypto";
import { mkdtempSync } from "node:fs";
import { join } from "node:path";
import type { PublicKeyJwk } from "../../lib/protocol/oauth/public-key.ts";
import { freePort } from "../../test/support/free-port.ts";
import { startServer, storePath, writeConfiguration } from "./countersign.ts";
import { fillStore, newIdSecret } from "./filled-store.ts";
import type { RunningProcess } from "./process.ts";

/** The document of the API behind the tools. */
export const OPENAPI = new URL("../../test/support/upstream.openapi.yaml", import.meta.url).href;

export interface McpServer extends RunningProcess {
  readonly port: number;
  /** Only when it was asked for. */
  readonly inspectorPort: number;
}

/** What is not as usual in a server. */
interface DifferentServer {
  readonly isInspected?: boolean;
  /** Of the API behind the tools; absent: none is called. */
  readonly api?: string;
  /** So many API clients are in its store. */
  readonly clients?: number;
  readonly flagsOfNode?: readonly string[];
}

/** Countersign as it ships, as a gateway with sessions in its embedded store; nobody is authenticated. */
export async function startMcpServer(
  parent: string,
  { isInspected = false, api = "http://localhost:9", clients = 0, flagsOfNode = [] }: DifferentServer = {},
): Promise<McpServer> {
  const folder = mkdtempSync(join(parent, "mcp-"));
  const port = await freePort();
  const idSecret = newIdSecret();
  const { publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const publicKeys = [publicKey.export({ format: "jwk" }) as PublicKeyJwk];
  if (clients > 0) fillStore(storePath(folder), { clients, idSecret, publicKeys });
  const configuration = writeConfiguration(folder, port, {
    idSecret: idSecret.toString("base64url"),
    mcpProvider: {
      enabled: true,
      transports: { stream: { enabled: true, path: "/mcp", session: { enabled: true } } },
      allowedHosts: ["localhost", "127.0.0.1"],
    },
    apps: [
      {
        name: "upstream",
        type: "mcpBridge",
        openapi: { spec: { uri: OPENAPI }, baseURL: api },
        authorization: { outbound: { type: "unprotected" } },
      },
    ],
  });
  const inspectorPort = await freePort();
  const flags = isInspected ? [...flagsOfNode, `--inspect=127.0.0.1:${inspectorPort}`] : flagsOfNode;
  return { port, inspectorPort, ...(await startServer(configuration, `http://localhost:${port}`, flags)) };
}
