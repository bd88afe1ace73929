import { stringify } from "yaml";
import { type ConfigurationArtifact, withSomeStandIns } from "../../lib/config/artifact.ts";
import type { Configuration } from "../../lib/config/configuration.ts";
import { ConfigurationError } from "../../lib/config/messages.ts";
import { resolveConfiguration } from "../../lib/config/resolve.ts";
import { readYaml } from "../../lib/config/yaml/read.ts";
import { HIDDEN_SECRET } from "../../lib/deployment/changes.ts";
import { isJsonObject } from "../../lib/kernel/json.ts";
import type { ConfigurationDocument } from "../../lib/management/schemas/deployment.ts";
import type { Variables } from "./protocol.ts";

/** In the place of what is in use, in messages. */
const IN_USE = "in use";

/** A reference in the place of a secret that is not shown: it gets a stand-in as all others do. */
const SOME_SECRET = "<hidden.secret>";

/** The artifact of what is in use, from what the API shows of it with its tools; undefined: these are missing. */
export function artifactInUse(shown: ConfigurationDocument): ConfigurationArtifact | undefined {
  const { catalogs, policies } = shown as Pick<ConfigurationArtifact, "policies"> &
    Partial<Pick<ConfigurationArtifact, "catalogs">>;
  if (catalogs === undefined) return undefined;
  const text = stringify(withReferences(shown.document), { lineWidth: 0 });
  const { document, placeholders, positions } = readYaml(text, IN_USE);
  const read = { document, placeholders, positions, catalogs, ...(policies !== undefined && { policies }) };
  return { format: 1, source: IN_USE, ...read };
}

function withReferences(value: unknown): unknown {
  if (value === HIDDEN_SECRET) return SOME_SECRET;
  if (Array.isArray(value)) return value.map(withReferences);
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, entry]) => [key, withReferences(entry)]));
}

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
