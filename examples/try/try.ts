import { loadInThread } from "../../infra/node/configuration-thread/load.ts";
import { openSecrets } from "../../infra/node/secrets.ts";
import { startServer } from "../../infra/node/server.ts";
import { StartupError } from "../../infra/node/startup-error.ts";
import type { ConfigurationArtifact } from "../../lib/config/artifact.ts";
import { ConfigurationError } from "../../lib/config/messages.ts";
import { resolveConfiguration } from "../../lib/config/resolve.ts";
import { startProvider } from "../quickstart/sample-provider.ts";
import { providerClient } from "../quickstart/start/configuration.ts";
import { prepareConsole } from "../quickstart/start/console.ts";

/**
 * `npm run try -- FILE|FOLDER`: serves a configuration of yours, with the sample provider beside it at which its connector
 * `sample` signs people in. For trying an API or an MCP server before there is an identity provider. Until it is interrupted.
 */
const print = (line: string) => process.stdout.write(`${line}\n`);

try {
  await serveTrial(process.argv.slice(2));
} catch (error) {
  const isTheirs = error instanceof StartupError || error instanceof ConfigurationError;
  process.stderr.write(`${isTheirs ? error.message : error instanceof Error ? error.stack : String(error)}\n`);
  process.exitCode = 1;
}

async function serveTrial([path, ...others]: readonly string[]): Promise<void> {
  if (path === undefined || others.length > 0) {
    throw new StartupError("Name a configuration, a file or a folder: npm run try -- FOLDER");
  }
  const interrupted = new Promise<void>((resolve) => {
    for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => resolve());
  });
  await prepareConsole(print);
  const artifact = await readConfiguration(path);
  const secrets = await openSecrets(undefined, process.env);
  const { configuration } = await resolveConfiguration(artifact, {
    environment: process.env,
    secrets,
    runtime: "node",
  });
  const connector = configuration.connectors.find(({ name }) => name === "sample");
  if (connector === undefined) {
    throw new StartupError(`${path} has no connector "sample". Put examples/try/gateway.yaml into the folder.`);
  }
  const running: { stop(): Promise<void> }[] = [];
  let link: string | undefined;
  try {
    const { port } = new URL(connector.wellKnownURL);
    running.push(await startProvider(Number(port), providerClient(configuration)));
    const announceSetupToken = (_: string, setupLink: string) => {
      link = setupLink;
    };
    const server = await startServer({
      artifact,
      environment: process.env,
      secrets,
      verbose: false,
      announceSetupToken,
    });
    running.push(server);
    tell(server.url, configuration.mcpProvider?.stream?.resource, link);
    await interrupted;
    print("Stopping.");
  } finally {
    for (const part of running.reverse()) await part.stop();
  }
}

/** @throws ConfigurationError with every mistake */
async function readConfiguration(path: string): Promise<ConfigurationArtifact> {
  const loaded = await loadInThread(path);
  if ("messages" in loaded) throw new ConfigurationError(loaded.messages);
  return loaded.artifact;
}

function tell(serverURL: string, mcpURL: string | undefined, setupLink: string | undefined): void {
  print(`Countersign is up at ${serverURL}. People sign in as Ada or Ben.`);
  if (mcpURL !== undefined) {
    print("\nConnect Claude Code:");
    print(`  claude mcp add --transport http try ${mcpURL} && claude mcp login try`);
    print(`Other clients:\n  ${serverURL}/console/connect`);
  }
  if (setupLink !== undefined) print(`\nThe Console, as its first owner; this link works once:\n  ${setupLink}`);
  print("\nPress Ctrl-C to stop.");
}
