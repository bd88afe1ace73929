import { type ConfigurationArtifact, withSomeStandIns } from "../../lib/config/artifact.ts";
import type { Configuration } from "../../lib/config/configuration.ts";
import { ConfigurationError } from "../../lib/config/messages.ts";
import { resolveConfiguration } from "../../lib/config/resolve.ts";
import type { Variables } from "./protocol.ts";

/** Names of the variables that decide: no stand-in can be in their places. */
export function decidingVariables(artifact: ConfigurationArtifact): readonly string[] {
  const parts = withSomeStandIns(artifact).placeholders.flatMap((placeholder) => placeholder.parts);
  return [...new Set(parts.flatMap((part) => ("env" in part ? [part.env] : [])))];
}

/** A configuration to try with, or why there is none. */
export type Tryable =
  | { readonly configuration: Configuration }
  | { readonly problems: readonly string[]; readonly configuration?: undefined };

/** Fills an artifact as an instance does, with stand-ins for its secrets. What was resolved serves for trials alone. */
export async function tryable(artifact: ConfigurationArtifact, variables: Variables): Promise<Tryable> {
  try {
    const { configuration } = await resolveConfiguration(withSomeStandIns(artifact), {
      ...{ environment: variables, secrets: { get: async () => STAND_IN }, runtime: "node" },
    });
    if (configuration.mcpProvider !== undefined) return { configuration };
    return { problems: ["It has no gateway: mcpProvider is not enabled."] };
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    return { problems: error.messages.map(({ path, message }) => (path === "" ? message : `${path}: ${message}`)) };
  }
}

/** Fits where a text is compared with others as well. */
const STAND_IN = "A".repeat(43);
