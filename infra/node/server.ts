import { application } from "../../functions/routes.ts";
import { auditEvent } from "../../lib/audit/event.ts";
import type { ConfigurationArtifact } from "../../lib/config/artifact.ts";
import { resolveConfiguration } from "../../lib/config/resolve.ts";
import type { Dependencies } from "../../lib/dependencies.ts";
import { logWarnings } from "../../lib/logging/configured-logger.ts";
import type { SecretProvider } from "../../lib/secrets/provider.ts";
import { VERSION } from "../../lib/version.ts";
import { background } from "../background.ts";
import { type NodeDependencies, openServerDependencies } from "./dependencies.ts";
import { listen } from "./http/listen.ts";
import { withSetupToken } from "./setup-token.ts";

/** How long running requests, and after them work in the background, may take when the server stops, milliseconds. */
const DRAIN_TIMEOUT = 10_000;

export interface ServerOptions {
  readonly artifact: ConfigurationArtifact;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly secrets: SecretProvider;
  readonly verbose: boolean;
  /** Receives log lines without their line break; stderr unless given. */
  readonly write?: (line: string) => void;
  /** Receives a setup token for this run, which is for whoever starts the process and for no log; absent: none is made. */
  readonly announceSetupToken?: (token: string, publicURL: string) => void;
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
  const { artifact, environment, secrets, verbose, write = writeToStderr, announceSetupToken } = options;
  const resolved = await resolveConfiguration(artifact, { environment, secrets, runtime: "node" });
  const node = openServerDependencies(resolved.configuration, { write, verbose });
  try {
    const { dependencies, setupToken } = await withOwnSetupToken(node, announceSetupToken !== undefined);
    const { logger } = dependencies;
    logWarnings(logger, resolved.warnings);
    const { waitUntil, finish } = background();
    const { http, publicURL, version } = resolved.configuration;
    await recordStart(dependencies, version);
    const server = await listen(http, { application: application(dependencies), waitUntil, dependencies, publicURL });
    if (setupToken !== undefined) announceSetupToken?.(setupToken, publicURL);
    logger.info("listening", {
      url: publicURL,
      host: http.host,
      port: http.port,
      configVersion: version,
      version: VERSION,
    });
    return {
      url: publicURL,
      stop: once(async () => {
        await server.drain(DRAIN_TIMEOUT);
        await finish(DRAIN_TIMEOUT);
        logger.info("stopped");
        await node.close();
      }),
    };
  } catch (error) {
    await node.close();
    throw error;
  }
}

/** Without a configured setup token and without an owner, whoever starts the process gets a token for this run. */
async function withOwnSetupToken(
  node: NodeDependencies,
  isAnnounced: boolean,
): Promise<{ readonly dependencies: Dependencies; readonly setupToken?: string }> {
  const { dependencies } = node;
  const { configuration } = dependencies.configuration();
  const { console } = configuration;
  if (!isAnnounced || !console.enabled || console.setupToken !== undefined || (await node.hasOwner()))
    return { dependencies };
  const own = withSetupToken(configuration, dependencies.random);
  dependencies.logger.warn("this instance has no owner; a setup token was generated for this run");
  const snapshot = { revision: 1, configuration: own.configuration };
  return { dependencies: { ...dependencies, configuration: () => snapshot }, setupToken: own.setupToken };
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
