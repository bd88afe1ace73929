import { readFile, stat } from "node:fs/promises";
import type { ConfigurationArtifact } from "../../../lib/config/artifact.ts";
import { artifactOf, BundleError, openBundle } from "../../../lib/deployment/bundle.ts";
import { type ConfigurationChange, configurationChanges } from "../../../lib/deployment/changes.ts";
import { hazardsOf } from "../../../lib/deployment/guards.ts";
import { RefusedError } from "../exit-codes.ts";
import { fileErrorReason } from "../files/file-error.ts";
import { parseFlags } from "../flags.ts";
import type { CommandIo } from "../io.ts";
import { loadConfiguration } from "../load-configuration.ts";
import { UsageError } from "../usage-error.ts";
import { required } from "./administer.ts";
import { keysIn } from "./publish.ts";

/** Characters of a value that are shown. */
const LONGEST = 120;

/** `countersign diff -from FILE -to FILE [-keys FILE] [-json]`: what differs between two configurations, each a YAML file, a folder of such or a bundle. */
export async function run(args: readonly string[], io: CommandIo): Promise<number> {
  const flags = parseFlags(args, { from: "string", to: "string", keys: "string", json: "boolean" });
  const [from, to] = [required(flags.from, "from FILE"), required(flags.to, "to FILE")];
  const [former, next] = [await artifactIn(from, flags.keys), await artifactIn(to, flags.keys)];
  const changes = configurationChanges(former, next);
  const hazards = hazardsOf(former.document, next.document);
  if (flags.json === true) io.stdout(`${JSON.stringify({ changes, hazards })}\n`);
  else {
    for (const change of changes) io.stdout(`${lines(change)}\n`);
    for (const { word, what } of hazards) io.stdout(`! ${what} (publish it with -force ${word})\n`);
  }
  return 0;
}

async function artifactIn(file: string, keys: string | undefined): Promise<ConfigurationArtifact> {
  const unreadable = (error: unknown) => {
    throw new UsageError(`${file} cannot be read: ${fileErrorReason(error)}.`);
  };
  if ((await stat(file).catch(unreadable)).isDirectory()) return loadConfiguration(file);
  const bytes = await readFile(file).catch(unreadable);
  const isBundle =
    (bytes[0] === 0x1f && bytes[1] === 0x8b) || bytes.subarray(0, 100).toString("utf8").startsWith('{"protected"');
  if (!isBundle) return loadConfiguration(file);
  try {
    return artifactOf(await openBundle(new Uint8Array(bytes), await keysIn(required(keys, "keys FILE"))));
  } catch (error) {
    if (error instanceof BundleError) throw new RefusedError(`${file}: the bundle ${error.message}.`);
    throw error;
  }
}

/** As a diff has them: what was there with `-`, what is there with `+`. */
function lines({ path, from, to }: ConfigurationChange): string {
  const line = (sign: string, value: string | undefined) =>
    value === undefined ? [] : [`${sign} ${path}: ${short(value)}`];
  return [...line("-", from), ...line("+", to)].join("\n");
}

function short(value: string): string {
  return value.length > LONGEST ? `${value.slice(0, LONGEST)}…` : value;
}
