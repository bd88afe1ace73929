import { readFileSync } from "node:fs";
import type { AppConfiguration } from "../../lib/config/app-configuration.ts";
import type { ConfigurationArtifact } from "../../lib/config/artifact.ts";
import { resolveConfiguration } from "../../lib/config/resolve.ts";

export function readArtifact(file: string): ConfigurationArtifact {
  return JSON.parse(readFileSync(file, "utf8")) as ConfigurationArtifact;
}

/** The apps as a server that starts with the artifact has them. */
export async function appsOf(artifact: ConfigurationArtifact): Promise<readonly AppConfiguration[]> {
  const secrets = { get: () => Promise.reject(new Error("the configuration of the benchmark has no secrets")) };
  const { configuration } = await resolveConfiguration(artifact, { environment: {}, secrets, runtime: "node" });
  return configuration.apps;
}
