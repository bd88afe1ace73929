import type { ConfigurationArtifact, PlaceholderPart } from "../../../lib/config/artifact.ts";
import { withStandIns } from "../../../lib/config/artifact.ts";
import { formatMessage } from "../../../lib/config/messages.ts";
import { checkAhead } from "../../../lib/config/resolve.ts";
import { configurationFile } from "../configuration-file.ts";
import { EXIT } from "../exit-codes.ts";
import { parseFlags } from "../flags.ts";
import type { CommandIo } from "../io.ts";
import { loadConfiguration } from "../load-configuration.ts";
import { countTools, leftOutRows, reasonText } from "./catalog-summary.ts";
import { longListText, offerOf } from "./tools/offer.ts";
import { printableLine } from "./tools/table.ts";
import { appsOf } from "./tools/tool-apps.ts";

/**
 * `countersign validate -config FILE [-allowUnserved]`: exit 0 or 3, nothing is started. An app that would not be served is a
 * mistake unless the flag says that it is known. Values that come from the environment or from
 * secrets are not looked at, so that a file can be checked on any machine. It says where one of them decides on more than
 * itself: what depends on it is checked at start alone.
 */
export async function run(args: readonly string[], io: CommandIo): Promise<number> {
  const { config, allowUnserved = false } = parseFlags(args, { config: "string", allowUnserved: "boolean" });
  const file = configurationFile(config, io.environment);
  const artifact = await loadConfiguration(file);
  const messages = await checkAhead(artifact, "node");
  const unserved = allowUnserved ? [] : messages.filter(({ isUnserved }) => isUnserved);
  const warning = io.style?.("stderr", "yellow", " (warning)") ?? " (warning)";
  for (const message of messages) {
    io.stderr(`${formatMessage(message)}${unserved.includes(message) ? UNSERVED : warning}\n`);
  }
  if (unserved.length > 0) return EXIT.configuration;
  const long = longListText(offerOf(appsOf(artifact)));
  if (long !== undefined) io.stderr(`${file}: ${long} (warning)\n`);
  const tools = countTools(artifact);
  io.stderr(`${file}: valid${tools === undefined ? "" : `: ${tools}`}${needs(artifact)}\n`);
  for (const row of leftOutRows(artifact)) {
    io.stderr(`  left out: ${printableLine(`${row.operation} (${row.app}): ${reasonText(row)}`)}\n`);
  }
  return 0;
}

const UNSERVED = "; remove the app or these keys, or accept it with -allowUnserved";

function needs(artifact: ConfigurationArtifact): string {
  const names = new Set(artifact.placeholders.flatMap(({ parts }) => parts.flatMap(nameOf)));
  if (names.size === 0) return "";
  const when =
    withStandIns(artifact) === undefined ? "filled, and what depends on them checked, at start" : "filled at start";
  return `; ${when}: ${[...names].join(", ")}`;
}

function nameOf(part: PlaceholderPart): string[] {
  if ("env" in part) return [`env.${part.env}`];
  return "secret" in part ? [`<${part.secret}>`] : [];
}
