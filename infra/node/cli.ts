#!/usr/bin/env node
import { secretValues } from "../../lib/logging/secret-values.ts";
import { credentialsIn } from "../../lib/secrets/provider-url.ts";
import { COMMANDS } from "./commands.ts";
import { failureReason } from "./failure-reason.ts";
import { asksForHelp, didYouMean, HelpRequest } from "./flags.ts";
import { actionsHelp, commandHelp, overview } from "./help.ts";
import { type CommandIo, endQuietly } from "./io.ts";
import { UsageError } from "./usage-error.ts";

async function main(args: readonly string[], io: CommandIo): Promise<number> {
  const [first, ...rest] = args;
  try {
    if (first === "help") return await help(rest, io);
    if (asksForHelp(first)) return await help([], io);
    if (first === undefined || first.startsWith("-")) return await runCommand("serve", args, io);
    return await runCommand(first, rest, io);
  } catch (error) {
    io.stderr(`${withoutCredentials(failureReason(error), [...args, io.environment.SVC_SECRET_PROVIDER ?? ""])}\n`);
    return 1;
  }
}

/** `countersign help`, `countersign help COMMAND` */
async function help([command, ...rest]: readonly string[], io: CommandIo): Promise<number> {
  if (command !== undefined) return runCommand(command, [...rest, "-help"], io);
  io.stdout(overview());
  return 0;
}

async function runCommand(name: string, args: readonly string[], io: CommandIo): Promise<number> {
  const load = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  if (load === undefined) {
    const known = [...Object.keys(COMMANDS), "help"];
    throw new UsageError(`Unknown command ${name};${didYouMean(name, known)} accepted: ${known.join(", ")}.`);
  }
  const [action] = args;
  const actions = actionsHelp(name);
  if (actions !== undefined && (action === "help" || asksForHelp(action))) {
    io.stdout(actions);
    return 0;
  }
  const { run } = await load();
  try {
    return await run(args, io);
  } catch (error) {
    if (!(error instanceof HelpRequest)) throw error;
    io.stdout(commandHelp(actions === undefined ? name : `${name} ${action}`, error.kinds));
    return 0;
  }
}

/** A provider's URL may have been typed at the place of another argument, which errors quote. */
function withoutCredentials(text: string, given: readonly string[]): string {
  const credentials = secretValues();
  given.flatMap(credentialsIn).forEach(credentials.add);
  return credentials.redact(text);
}

type Environment = CommandIo["environment"];

/** Variables of a comparable product, each read under the name that it has here. */
const RENAMED: Readonly<Record<string, string>> = {
  MAVERICS_CONFIG: "SVC_CONFIG",
  MAVERICS_SECRET_PROVIDER: "SVC_SECRET_PROVIDER",
  MAVERICS_DEBUG_MODE: "SVC_DEBUG_MODE",
};

/** Further ones, and the key that says the same. */
const WRITTEN: Readonly<Record<string, string>> = {
  MAVERICS_HTTP_ADDRESS: "http.address",
  MAVERICS_TLS_SERVER_CERT_FILE: "certFile of an entry of tls, and http.tls",
  MAVERICS_TLS_SERVER_KEY_FILE: "keyFile of an entry of tls, and http.tls",
  MAVERICS_AWS_CONFIG: "SVC_CONFIG_SOURCE, such as s3://BUCKET/KEY?region=REGION",
  MAVERICS_AZURE_CONFIG: "SVC_CONFIG_SOURCE, such as azblob://ACCOUNT/CONTAINER/KEY",
  MAVERICS_GCP_CONFIG: "SVC_CONFIG_SOURCE, such as gs://BUCKET/KEY",
  MAVERICS_GITHUB_CONFIG: "SVC_CONFIG_SOURCE, such as github://OWNER/REPOSITORY/PATH",
  MAVERICS_GITLAB_CONFIG: "SVC_CONFIG_SOURCE, such as gitlab://HOST/GROUP/PROJECT/-/PATH",
  MAVERICS_BUNDLE_PUBLIC_KEY_FILE: "SVC_CONFIG_KEYS with @ before the file",
  MAVERICS_RELOAD_CONFIG: "SVC_CONFIG_RELOAD",
  MAVERICS_POLLING_INTERVAL_SECONDS: "SVC_CONFIG_INTERVAL, such as 30s",
};

/** One warning for each variable with another product's name. No value is shown. */
function withRenamed(environment: Environment, warn: (text: string) => void): Environment {
  const read: Record<string, string | undefined> = { ...environment };
  for (const [former, name] of Object.entries(RENAMED)) {
    if (!environment[former]) continue;
    const isUsed = !environment[name];
    if (isUsed) read[name] = environment[former];
    warn(isUsed ? `${former} is read as ${name} (warning)` : `${former} is ignored beside ${name} (warning)`);
  }
  for (const [former, key] of Object.entries(WRITTEN)) {
    if (environment[former]) warn(`${former} is not read: write ${key} (warning)`);
  }
  return read;
}

endQuietly(process.stdout, ["EPIPE"]);
// A log on a disk that is full must not end the server.
endQuietly(process.stderr, ["EPIPE", "ENOSPC", "EDQUOT", "EFBIG", "EIO"]);
process.exitCode = await main(process.argv.slice(2), {
  stdout: (text) => process.stdout.write(text),
  stderr: (text) => process.stderr.write(text),
  columns: process.stdout.isTTY ? process.stdout.columns : undefined,
  environment: withRenamed(process.env, (text) => process.stderr.write(`${text}\n`)),
});
