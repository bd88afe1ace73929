import { stackOf } from "../../../lib/logging/cause.ts";
import { isDebugMode } from "../../../lib/logging/logger-configuration.ts";
import { redactor } from "../../../lib/logging/redaction.ts";
import { secretValues } from "../../../lib/logging/secret-values.ts";
import { configurationFile } from "../configuration-file.ts";
import { loadInThread } from "../configuration-thread/load.ts";
import { awaitEnding } from "../ending.ts";
import { parseFlags } from "../flags.ts";
import type { CommandIo } from "../io.ts";
import { openSecrets } from "../secrets.ts";
import { collectStartGarbage } from "../start-garbage.ts";
import { run as version } from "./version.ts";

const FLAGS = { config: "string", secretProvider: "string", verbose: "boolean", version: "boolean" } as const;

/** Milliseconds for the process to end by itself when everything is closed. */
const LAST_GRACE = 1_000;

/** `countersign -config FILE [-secretProvider URL] [-verbose]`: serves until SIGINT or SIGTERM, then drains. */
export async function run(args: readonly string[], io: CommandIo): Promise<number> {
  const flags = parseFlags(args, FLAGS);
  if (flags.version) return version([], io);

  const { environment } = io;
  const artifact = await loadInThread(configurationFile(flags.config, environment));
  const stopping = new AbortController();
  const secrets = await openSecrets(flags.secretProvider, environment, stopping.signal);
  const knownSecrets = secretValues();
  secrets.onValue(knownSecrets.add);
  const verbose = flags.verbose === true || isDebugMode(environment);
  const writeLine = (line: string) => io.stderr(`${line}\n`);
  const announceSetupToken = (_: string, link: string) => {
    writeLine("This instance has no owner. This link makes the first one, once, until the server stops:");
    writeLine(link);
  };

  const redact = redactor(knownSecrets);
  const ending = awaitEnding((error) => writeLine(redact(stackOf(error))));
  // Also while it starts: a secret provider may be slow.
  void ending.begun.then(() => stopping.abort());
  // Loaded late: a mistake in the command line or the file is told without it.
  const { startServer } = await import("../server.ts");
  const options = { artifact, environment, secrets, verbose, knownSecrets, announceSetupToken };
  const server = await startServer(options).catch((error: unknown) => {
    if (!stopping.signal.aborted) throw error;
    // The signal is why it has not started.
    return undefined;
  });
  if (server === undefined) return ending.exitCode();
  ending.started(server.reportCrash);
  collectStartGarbage();
  await ending.begun;
  // What could not be closed is in the log.
  const isClosed = await server.stop().then(
    () => true,
    () => false,
  );
  const code = isClosed ? ending.exitCode() : 1;
  // What still holds the process, for example a connection to somebody who does not answer, does not hold it for long.
  setTimeout(() => process.exit(code), LAST_GRACE).unref();
  return code;
}
