import { ConfigurationError } from "../../../lib/config/messages.ts";
import { stackOf } from "../../../lib/logging/cause.ts";
import { isDebugMode } from "../../../lib/logging/logger-configuration.ts";
import { redactor } from "../../../lib/logging/redaction.ts";
import { type SecretValues, secretValues } from "../../../lib/logging/secret-values.ts";
import { credentialsIn } from "../../../lib/secrets/provider-url.ts";
import { configurationFile } from "../configuration-file.ts";
import { loadInThread } from "../configuration-thread/load.ts";
import type { LoadOutcome } from "../configuration-thread/thread.ts";
import { type NodeDeployment, nodeDeployment } from "../deployment.ts";
import { awaitEnding } from "../ending.ts";
import { failureReason } from "../failure-reason.ts";
import { parseFlags } from "../flags.ts";
import { boundHeapGrowth, collectStartGarbage } from "../heap.ts";
import type { CommandIo } from "../io.ts";
import { openSecrets } from "../secrets.ts";
import type { RunningServer, ServerOptions } from "../server.ts";
import { logStartFailure } from "../start-failure.ts";
import { UsageError } from "../usage-error.ts";
import type { Worker } from "../workers/worker.ts";
import { run as version } from "./version.ts";

const FLAGS = { config: "string", secretProvider: "string", verbose: "boolean", version: "boolean" } as const;

/** Milliseconds for the process to end by itself when everything is closed. */
const LAST_GRACE = 1_000;
/** Milliseconds from the start until its garbage is collected. */
const START_GARBAGE_DELAY = 1_000;

/** `countersign -config FILE [-secretProvider URL] [-verbose]`: serves until SIGINT or SIGTERM, then drains. */
export async function run(args: readonly string[], io: CommandIo): Promise<number> {
  const flags = parseFlags(args, FLAGS);
  if (flags.version) return version([], io);

  const { environment } = io;
  const knownSecrets = secretValues();
  const writeLine = (line: string) => io.stderr(`${line}\n`);
  knownSecrets.add(environment.SVC_CONFIG_TOKEN ?? "");
  const worker = await workerOf(environment);
  if (worker !== undefined) {
    const failed = async (error: unknown): Promise<never> => {
      await worker.failed(failureReason(error));
      throw error;
    };
    // The process that started this one says why it cannot serve; the way to that one would keep this one alive.
    const { artifact } = worker;
    const options = { flags, io, knownSecrets, writeLine, failed, worker };
    const serving = nodeDeployment(environment).then((deployment) => serve({ artifact, deployment }, options), failed);
    const code = await serving.catch(() => 1);
    process.exit(code);
  }
  const deployment = await nodeDeployment(environment);
  const file = servedFile(flags.config, environment, deployment);
  const loaded: LoadOutcome | { readonly artifact?: undefined } = file === undefined ? {} : await loadInThread(file);
  /** An entry for those who collect the log; the command line tells the person who started it. */
  const failed = async (error: unknown): Promise<never> => {
    [...args, environment.SVC_SECRET_PROVIDER ?? ""].flatMap(credentialsIn).forEach(knownSecrets.add);
    const read = "messages" in loaded ? loaded.read : loaded.artifact;
    await logStartFailure(error, { read, environment, knownSecrets, write: writeLine });
    throw error;
  };
  if ("messages" in loaded) return failed(new ConfigurationError(loaded.messages));
  return serve({ ...loaded, deployment }, { flags, io, knownSecrets, writeLine, failed });
}

/**
 * The file to serve, or to serve while nothing is published; undefined: what is published alone is served.
 * @throws UsageError where both name a configuration, and neither comes first
 */
function servedFile(
  flag: string | undefined,
  environment: CommandIo["environment"],
  deployment: NodeDeployment | undefined,
): string | undefined {
  if (deployment === undefined || deployment.settings.fallback) return configurationFile(flag, environment);
  if (!flag && !environment.SVC_CONFIG) return undefined;
  throw new UsageError(
    "SVC_CONFIG_SOURCE and -config or SVC_CONFIG both name a configuration. Leave one out, or set SVC_CONFIG_FALLBACK=builtin to serve the file until something is published.",
  );
}

/** What makes this process one of several of a server; nothing of it is loaded where there is one. */
async function workerOf(environment: CommandIo["environment"]): Promise<Worker | undefined> {
  if (process.send === undefined) return undefined;
  const { joinServer } = await import("../workers/worker.ts");
  return joinServer(environment);
}

interface ServeOptions {
  readonly flags: { readonly secretProvider?: string; readonly verbose?: boolean };
  readonly io: CommandIo;
  readonly knownSecrets: SecretValues;
  readonly writeLine: (line: string) => void;
  readonly failed: (error: unknown) => Promise<never>;
  readonly worker?: Worker;
}

async function serve(served: Pick<ServerOptions, "artifact" | "deployment">, options: ServeOptions): Promise<number> {
  const { flags, io, knownSecrets, writeLine, failed, worker } = options;
  const { environment } = io;
  const stopping = new AbortController();
  const announceSetupToken = (_: string, link: string) => {
    writeLine("This instance has no owner. This link makes the first one, once, until the server stops:");
    writeLine(link);
  };

  const redact = redactor(knownSecrets);
  const report = (error: unknown) => writeLine(redact(stackOf(error)));
  const ending = awaitEnding(report, { ignoresSignals: worker !== undefined });
  const begun = worker === undefined ? ending.begun : Promise.race([ending.begun, worker.stopping]);
  // Also while it starts: a secret provider may be slow.
  void begun.then(() => stopping.abort());
  const start = async (): Promise<RunningServer> => {
    const secrets = await openSecrets(flags.secretProvider, environment, stopping.signal);
    secrets.onValue(knownSecrets.add);
    const verbose = flags.verbose === true || isDebugMode(environment);
    // Loaded late: a mistake in the command line or the file is told without it.
    const { startServer } = await import("../server.ts");
    return startServer({ ...served, environment, secrets, verbose, knownSecrets, announceSetupToken, worker });
  };
  const server = await start().catch((error: unknown) => {
    // The signal is why it has not started.
    return stopping.signal.aborted ? undefined : failed(error);
  });
  if (server === undefined) return ending.exitCode();
  ending.started(server.reportCrash);
  boundHeapGrowth();
  // The first answers do not wait for it.
  setTimeout(collectStartGarbage, START_GARBAGE_DELAY).unref();
  await begun;
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
