import { readFile } from "node:fs/promises";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { documentReader } from "../../../infra/node/files/read-document.ts";
import type { ConfigurationArtifact } from "../../../lib/config/artifact.ts";
import { compileConfiguration } from "../../../lib/config/compile.ts";
import { ConfigurationError } from "../../../lib/config/messages.ts";

/** The loopback ports of the quickstart: Countersign's, and right above it those of the sample API and of the sample MCP server. */
export interface QuickstartPorts {
  readonly server: number;
  readonly library: number;
  readonly board: number;
}

/** As messages name it. */
const FILE = "examples/quickstart/countersign.yaml";

/**
 * The configuration of the quickstart for these ports. The file is complete as it stands, with 8080, 8081 and 8082, so
 * that every command can read it; here the numbers are replaced.
 * @throws ConfigurationError with every mistake in the file
 */
export async function quickstartConfiguration(ports: QuickstartPorts): Promise<ConfigurationArtifact> {
  const file = fileURLToPath(new URL("../countersign.yaml", import.meta.url));
  const text = (await readFile(file, "utf8"))
    .replaceAll("localhost:8080", `localhost:${ports.server}`)
    .replaceAll("localhost:8081", `localhost:${ports.library}`)
    .replaceAll("localhost:8082", `localhost:${ports.board}`);
  const compiled = await compileConfiguration(text, { file: FILE, readDocument: documentReader(dirname(file)) });
  if ("errors" in compiled) throw new ConfigurationError(compiled.errors);
  return compiled.artifact;
}
