import { application } from "../../functions/routes.ts";
import { auditEvent } from "../../lib/audit/event.ts";
import type { ConfigurationArtifact } from "../../lib/config/artifact.ts";
import type { Configuration } from "../../lib/config/configuration.ts";
import { formatMessage } from "../../lib/config/messages.ts";
import { resolveConfiguration } from "../../lib/config/resolve.ts";
import type { Dependencies } from "../../lib/dependencies.ts";
import type { SecretProvider } from "../../lib/secrets/provider.ts";
import { background } from "./background.ts";
import { type NodeDependencies, openNodeDependencies } from "./dependencies.ts";
import { listen } from "./http.ts";
import { withSetupToken } from "./setup-token.ts";
import { StartupError } from "./startup-error.ts";

/** How long running requests, and after them work in the background, may take when the server stops, milliseconds. */
const DRAIN_TIMEOUT = 10_000;

export interface ServerOptions {
  readonly artifact: ConfigurationArtifact;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly secrets: SecretProvider;
  readonly verbose: boolean;
  /** Receives log lines without their line break; stderr unless given. */
  readonly write?: (line: string) => void;
  /** Receives what is for the eyes of whoever starts the process and for no log; stderr unless given. */
  readonly announce?: (line: string) => void;
}

export interface RunningServer {
  /** The public URL. */
  readonly url: string;
  /** Drains and closes everything; repeated calls wait for the first. */
  stop(): Promise<void>;
}

/**
 * Starts the product on this machine.
 * @throws ConfigurationError when the configuration cannot be resolved
 * @throws StartupError when the store cannot be opened or the address cannot be listened on
 */
export async function startServer(options: ServerOptions): Promise<RunningServer> {
  const { artifact, environment, secrets, verbose, write = writeToStderr, announce = writeToStderr } = options;
  const resolved = await resolveConfiguration(artifact, { environment, secrets, runtime: "node" });
  const node = openStore(resolved.configuration, { write, verbose });
  try {
    const dependencies = await withOwnSetupToken(node, announce);
    const { logger } = dependencies;
    for (const warning of resolved.warnings) logger.warn(formatMessage(warning));
    const { waitUntil, finish } = background();
    const { http, publicURL, version } = resolved.configuration;
    await recordStart(dependencies, version);
    const server = await listen(http, application(dependencies), waitUntil);
    logger.info("listening", { url: publicURL, host: http.host, port: http.port, configVersion: version });
    return {
      url: publicURL,
      stop: once(async () => {
        await server.drain(DRAIN_TIMEOUT);
        await finish(DRAIN_TIMEOUT);
        logger.info("stopped");
        node.close();
      }),
    };
  } catch (error) {
    node.close();
    throw error;
  }
}

function openStore(
  configuration: Configuration,
  options: { readonly write: (line: string) => void; readonly verbose: boolean },
): NodeDependencies {
  try {
    return openNodeDependencies(configuration, options);
  } catch (error) {
    if (error instanceof StartupError) throw error;
    const reason = error instanceof Error ? error.message : String(error);
    throw new StartupError(`Cannot open the store in ${configuration.store.path}: ${reason}.`, { cause: error });
  }
}

/**
 * Without a configured setup token and without an owner, whoever started the process gets a token for this run. It is
 * announced, never logged.
 */
async function withOwnSetupToken(node: NodeDependencies, announce: (line: string) => void): Promise<Dependencies> {
  const { dependencies } = node;
  const { configuration } = dependencies.configuration();
  if (!configuration.console.enabled || configuration.console.setupToken !== undefined || (await node.hasOwner())) {
    return dependencies;
  }
  const own = withSetupToken(configuration, dependencies.random);
  dependencies.logger.warn("this instance has no owner; a setup token was generated for this run");
  announce(`Setup token: ${own.setupToken}`);
  const snapshot = { revision: 1, configuration: own.configuration };
  return { ...dependencies, configuration: () => snapshot };
}

async function recordStart(dependencies: Dependencies, version: string): Promise<void> {
  const event = auditEvent(dependencies, { type: "config.loaded", outcome: "success", details: { version } });
  await dependencies.stores.auditLog.append(event);
}

function writeToStderr(line: string): void {
  process.stderr.write(`${line}\n`);
}

function once(work: () => Promise<void>): () => Promise<void> {
  let running: Promise<void> | undefined;
  return () => {
    running ??= work();
    return running;
  };
}
