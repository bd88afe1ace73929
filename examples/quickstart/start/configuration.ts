import { readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { documentReader } from "../../../infra/node/files/read-document.ts";
import type { ConfigurationArtifact } from "../../../lib/config/artifact.ts";
import { compileConfiguration } from "../../../lib/config/compile.ts";
import type { Configuration } from "../../../lib/config/configuration.ts";
import { ConfigurationError } from "../../../lib/config/messages.ts";
import type { ProviderClient } from "../sample-provider.ts";

/** The loopback ports of the quickstart: Countersign's, and right above it those of the samples. */
export interface QuickstartPorts {
  readonly server: number;
  readonly library: number;
  readonly board: number;
  readonly provider: number;
  readonly desk: number;
}

/** As messages and commands name it. */
const FILE = "examples/quickstart/countersign.yaml";
const PATH = fileURLToPath(new URL("../countersign.yaml", import.meta.url));
const OPENAPI = pathToFileURL(join(dirname(PATH), "openapi.yaml")).href;

/** The ports that stand in the file. */
const WRITTEN: QuickstartPorts = { server: 8080, library: 8081, board: 8082, provider: 8083, desk: 8084 };

/**
 * The configuration of the quickstart for these ports. The file is complete as it stands, with 8080 to 8084, so
 * that every command can read it; here the numbers are replaced.
 * @param host another interface for Countersign, which clients still reach at `localhost`
 * @throws ConfigurationError with every mistake in the file
 */
export async function quickstartConfiguration(ports: QuickstartPorts, host?: string): Promise<ConfigurationArtifact> {
  const text = onHost(await withPorts(ports), host);
  const compiled = await compileConfiguration(text, { file: FILE, readDocument: documentReader(dirname(PATH)) });
  if ("errors" in compiled) throw new ConfigurationError(compiled.errors);
  return compiled.artifact;
}

/** What Countersign is at the sample provider. */
export function providerClient({ connectors, oidcProvider }: Configuration): ProviderClient {
  const connector = connectors.find(({ name }) => name === "sample");
  if (connector === undefined || oidcProvider === undefined) throw new Error(`${FILE} has no connector "sample".`);
  return {
    clientID: connector.clientID,
    redirectURLs: [oidcProvider.endpoints.callback],
    logoutRedirectURLs: connector.logoutRedirectURL === undefined ? [] : [connector.logoutRedirectURL],
  };
}

/**
 * The file that commands have to name for this start: the example itself, or with other ports a copy that holds them, which
 * is written into the folder.
 */
export async function fileForCommands(ports: QuickstartPorts, folder: string): Promise<string> {
  if (ports.server === WRITTEN.server) return FILE;
  const text = (await withPorts(ports)).replace(/^(#.*\n)+/, "").replace("file://openapi.yaml", OPENAPI);
  const file = join(folder, "countersign.yaml");
  await writeFile(
    file,
    `# Written anew by each start: ${FILE} with the ports of that start. Change that file, and start again.\n${text}`,
  );
  return file;
}

function onHost(text: string, host: string | undefined): string {
  if (host === undefined) return text;
  return text.replace(/^ {2}address: localhost:(\d+)$/m, `  address: "${host}:$1"\n  publicURL: http://localhost:$1`);
}

async function withPorts(ports: QuickstartPorts): Promise<string> {
  const names = Object.keys(WRITTEN) as (keyof QuickstartPorts)[];
  const text = await readFile(PATH, "utf8");
  // All at once: a port that was put in may be another's written one.
  return text.replaceAll(/(?<=\blocalhost:)\d+\b/g, (port) => {
    const name = names.find((one) => String(WRITTEN[one]) === port);
    return name === undefined ? port : String(ports[name]);
  });
}
