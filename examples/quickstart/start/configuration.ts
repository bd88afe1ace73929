import { readFile } from "node:fs/promises";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { documentReader } from "../../../infra/node/files/read-document.ts";
import type { ConfigurationArtifact } from "../../../lib/config/artifact.ts";
import { compileConfiguration } from "../../../lib/config/compile.ts";
import { ConfigurationError } from "../../../lib/config/messages.ts";

/** The two loopback ports of the quickstart: Countersign's, and the sample API's right above it. */
export interface QuickstartPorts {
  readonly server: number;
  readonly library: number;
}

/** As messages name it. */
const FILE = "examples/quickstart/countersign.yaml";

/**
 * The configuration of the quickstart for these ports. The file is complete as it stands, with 8080 and 8081, so that
 * every command can read it; here the two numbers are replaced.
 * @throws ConfigurationError with every mistake in the file
 */
export async function quickstartConfiguration(ports: QuickstartPorts): Promise<ConfigurationArtifact> {
  const file = fileURLToPath(new URL("../countersign.yaml", import.meta.url));
  const text = (await readFile(file, "utf8"))
    .replaceAll("localhost:8080", `localhost:${ports.server}`)
    .replaceAll("localhost:8081", `localhost:${ports.library}`);
  const compiled = await compileConfiguration(text, { file: FILE, readDocument: documentReader(dirname(file)) });
  if ("errors" in compiled) throw new ConfigurationError(compiled.errors);
  return compiled.artifact;
}
