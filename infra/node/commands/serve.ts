import { once } from "node:events";
import { parseFlags } from "../flags.ts";
import type { CommandIo } from "../io.ts";
import { configurationFile, loadConfiguration } from "../load-configuration.ts";
import { openSecrets } from "../secrets.ts";
import { run as version } from "./version.ts";

const FLAGS = { config: "string", secretProvider: "string", verbose: "boolean", version: "boolean" } as const;

/** `countersign -config FILE [-secretProvider URL] [-verbose]`: serves until SIGINT or SIGTERM, then drains. */
export async function run(args: readonly string[], io: CommandIo): Promise<number> {
  const flags = parseFlags(args, FLAGS);
  if (flags.version) return version([], io);

  const { environment } = io;
  const artifact = await loadConfiguration(configurationFile(flags.config, environment));
  const secrets = await openSecrets(flags.secretProvider, environment);
  const verbose = flags.verbose === true || environment.SVC_DEBUG_MODE === "true";
  const writeLine = (line: string) => io.stderr(`${line}\n`);

  const stopSignal = Promise.race([once(process, "SIGINT"), once(process, "SIGTERM")]);
  // Loaded late: a mistake in the command line or the file is told without it.
  const { startServer } = await import("../server.ts");
  const server = await startServer({ artifact, environment, secrets, verbose, write: writeLine, announce: writeLine });
  await stopSignal;
  await server.stop();
  return 0;
}
