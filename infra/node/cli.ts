#!/usr/bin/env node
import { styleText } from "node:util";
import { runCommandLine } from "./command-line.ts";
import { type CommandIo, endQuietly } from "./io.ts";

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
process.exitCode = await runCommandLine(process.argv.slice(2), {
  stdout: (text) => process.stdout.write(text),
  stderr: (text) => process.stderr.write(text),
  columns: process.stdout.isTTY ? process.stdout.columns : undefined,
  style: (output, format, text) => styleText(format, text, { stream: process[output] }),
  environment: withRenamed(process.env, (text) => process.stderr.write(`${text}\n`)),
});
