import type { ConfigurationArtifact, PlaceholderPart } from "../../../lib/config/artifact.ts";
import { formatMessage } from "../../../lib/config/messages.ts";
import { resolveConfiguration } from "../../../lib/config/resolve.ts";
import { parseFlags } from "../flags.ts";
import type { CommandIo } from "../io.ts";
import { configurationFile, loadConfiguration } from "../load-configuration.ts";
import { openSecrets } from "../secrets.ts";

/**
 * `countersign validate -config FILE`: exit 0 or 1, nothing is started. Values that come from the environment or from
 * secrets are not looked at, so that a file can be checked on any machine; a file without them is checked completely.
 */
export async function run(args: readonly string[], io: CommandIo): Promise<number> {
  const { config } = parseFlags(args, { config: "string" });
  const file = configurationFile(config, io.environment);
  const artifact = await loadConfiguration(file);
  if (artifact.placeholders.length === 0) {
    const secrets = await openSecrets(undefined, {});
    const { warnings } = await resolveConfiguration(artifact, { environment: {}, secrets, runtime: "node" });
    for (const warning of warnings) io.stderr(`${formatMessage(warning)} (warning)\n`);
  }
  io.stderr(`${file}: valid${needs(artifact)}\n`);
  return 0;
}

function needs({ placeholders }: ConfigurationArtifact): string {
  const names = new Set(placeholders.flatMap(({ parts }) => parts.flatMap(nameOf)));
  return names.size === 0 ? "" : `; filled at start: ${[...names].join(", ")}`;
}

function nameOf(part: PlaceholderPart): string[] {
  if ("env" in part) return [`env.${part.env}`];
  return "secret" in part ? [`<${part.secret}>`] : [];
}
