import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type RunningProcess, startProcess } from "./process.ts";

/** The command of the product. */
export const CLI = fileURLToPath(new URL("../../infra/node/countersign.js", import.meta.url));

/** What a server of a benchmark is configured with besides the usual. */
export interface MoreConfiguration {
  readonly apps?: readonly unknown[];
  readonly idSecret?: string;
  /** A line for each request; off unless asked for. */
  readonly accessLog?: boolean;
  /** The sections of these names. */
  readonly telemetry?: unknown;
  readonly mcpProvider?: unknown;
  readonly connectors?: readonly unknown[];
  readonly console?: unknown;
}

/** Writes the configuration of a server whose embedded store is the folder's `store`. Returns its path. */
export function writeConfiguration(folder: string, port: number, more: MoreConfiguration = {}): string {
  const { apps = [], idSecret, accessLog = false, telemetry, mcpProvider, connectors, console } = more;
  const file = join(folder, "countersign.yaml");
  const configuration = {
    version: "1",
    logger: { level: accessLog ? "info" : "warn" },
    // Every address of the loopback network reaches it.
    http: {
      address: `${mcpProvider === undefined ? "localhost" : "0.0.0.0"}:${port}`,
      accessLog: { disabled: !accessLog },
    },
    telemetry,
    mcpProvider,
    connectors,
    console,
    store: { path: storePath(folder) },
    oidcProvider: { region: "us", ...(idSecret !== undefined && { apiClients: { idSecret } }) },
    apps,
  };
  writeFileSync(file, JSON.stringify(configuration));
  return file;
}

export function storePath(folder: string): string {
  return join(folder, "store");
}

/** Starts the Node entry as it ships. */
export function startServer(
  configuration: string,
  url: string,
  flagsOfNode: readonly string[] = [],
): Promise<RunningProcess> {
  return startProcess(process.execPath, [...flagsOfNode, CLI, "-config", configuration], `${url}/status`);
}
