import { openSecrets } from "../../../infra/node/secrets.ts";
import { startServer } from "../../../infra/node/server.ts";
import { StartupError } from "../../../infra/node/startup-error.ts";
import { managementAudience } from "../../../lib/api-clients/audiences.ts";
import type { ConfigurationArtifact } from "../../../lib/config/artifact.ts";
import type { Configuration } from "../../../lib/config/configuration.ts";
import { ConfigurationError } from "../../../lib/config/messages.ts";
import { resolveConfiguration } from "../../../lib/config/resolve.ts";
import { DeploymentError } from "../../../lib/deployment/source.ts";
import { startLibrary } from "../api.ts";
import { startBoard } from "../board.ts";
import { startDesk } from "../desk/desk.ts";
import { startProvider } from "../sample-provider.ts";
import { fileForCommands, providerClient, quickstartConfiguration } from "./configuration.ts";
import { prepareConsole } from "./console.ts";
import { quickstartPorts } from "./ports.ts";
import { quickstartDeployment, type Served, servedConfiguration } from "./published.ts";
import { sampleClient } from "./sample-client.ts";
import { type StoryOptions, tellStory } from "./story.ts";

/**
 * `npm start`: a sample API, a sample MCP server, web pages and an OpenID provider, Countersign in front of them, and an agent that
 * calls a tool of each server; then stays up until it is interrupted. With `-once` (`npm run demo`) it ends after the calls. `PORT` chooses the port, 8080 without it.
 * In a container, `QUICKSTART_HOST` is the interface for what browsers open: Countersign and the provider.
 */
const once = process.argv.slice(2).some((argument) => /^--?once$/.test(argument));
/** What a configuration that is written in the Console may name; what else sets an instance up is settled here. */
const environment = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith("SVC_")));
const secrets = await openSecrets(undefined, process.env);
const print = (line: string) => process.stdout.write(`${line}\n`);
/** The Inspector needs Node 22.19; on an older one npm would quietly take an old Inspector that knows other flags. */
const INSPECTOR = "PATH=$PWD/node_modules/.bin:$PATH npx -y @modelcontextprotocol/inspector@2.12.0";
/** Of `library-desk` in the configuration. Browsers look for every name below `localhost` on this machine (RFC 6761 §6.3). */
const PAGES_HOST = "library.localhost";

try {
  await quickstart();
} catch (error) {
  process.stderr.write(`${explain(error)}\n`);
  process.exitCode = 1;
}

async function quickstart(): Promise<void> {
  const interrupted = once ? undefined : nextInterrupt();
  const ports = await quickstartPorts(process.env.PORT);
  if (!once) await prepareConsole(print);
  const host = process.env.QUICKSTART_HOST || undefined;
  const artifact = await quickstartConfiguration(ports, host);
  // What `npm run demo` shows is the example as it is.
  const deployment = once ? undefined : await quickstartDeployment();
  const example: Served = { artifact, configuration: await resolve(artifact) };
  const served = deployment === undefined ? example : await servedConfiguration(example, deployment, resolve);
  const { configuration } = served;
  const mcpURL = configuration.mcpProvider?.stream?.resource ?? "";
  const managementURL = managementAudience(configuration);
  const credentials = await sampleClient(configuration, mcpURL);

  const running: { stop(): Promise<void> }[] = [];
  let setupLink: string | undefined;
  const announceSetupToken = (_: string, link: string) => {
    setupLink = link;
  };
  try {
    running.push(await startLibrary(ports.library));
    const issuer = configuration.oidcProvider?.issuer ?? "";
    running.push(await startBoard(ports.board, { issuer, audience: `http://localhost:${ports.board}/mcp` }));
    running.push(await startProvider(ports.provider, providerClient(example.configuration), host));
    const signOutURL = configuration.oidcProvider?.endpoints.endSession ?? "";
    running.push(await startDesk(ports.desk, { libraryURL: `http://localhost:${ports.library}`, signOutURL }));
    const server = await startServer({
      ...{ artifact, deployment, environment, secrets, verbose: false, announceSetupToken },
    });
    running.push(server);
    if (served.note !== undefined) print(served.note);
    print(
      `Countersign is up at ${server.url}, in front of a library: its REST API at http://localhost:${ports.library}`,
    );
    print(`and the MCP server of its notice board at http://localhost:${ports.board}/mcp.`);
    print(`People sign in at http://localhost:${ports.provider}, a provider for trying out: choose to be Ada or Ben.`);
    print("An agent that knows nothing but the MCP URL and its own key goes to work:\n");
    const token = await toldOf(served, { mcpURL, managementURL, credentials, print });
    if (interrupted === undefined) return;
    const file = await fileForCommands(ports, configuration.store.path);
    printAddresses({ serverURL: server.url, pagesURL: `http://${PAGES_HOST}:${ports.server}`, mcpURL, managementURL });
    printCommands({ serverURL: server.url, mcpURL, token, file });
    printSignIn(setupLink, file);
    print("\nPress Ctrl-C to stop.");
    await interrupted;
    print("Stopping.");
  } finally {
    for (const part of running.reverse()) await part.stop();
  }
}

/** Throws ConfigurationError. */
async function resolve(artifact: ConfigurationArtifact): Promise<Configuration> {
  return (await resolveConfiguration(artifact, { environment, secrets, runtime: "node" })).configuration;
}

/** The agent's token; undefined: what was published in the Console has no longer what the story is about. */
async function toldOf({ revision }: Served, story: StoryOptions): Promise<string | undefined> {
  try {
    return await tellStory(story);
  } catch (error) {
    if (revision === undefined || !(error instanceof Error)) throw error;
    print(
      `\n  It ends here, as revision ${revision} of the configuration is not the example any more: ${error.message}`,
    );
    return undefined;
  }
}

interface Addresses {
  readonly serverURL: string;
  readonly pagesURL: string;
  readonly mcpURL: string;
  readonly managementURL: string;
}

function printAddresses({ serverURL, pagesURL, mcpURL, managementURL }: Addresses): void {
  print("");
  print(`  Web pages        ${pagesURL}  (sign in as Ada or Ben; only Ada may open the lending desk)`);
  print(`  MCP endpoint     ${mcpURL}`);
  print(`  Discovery        ${serverURL}/.well-known/openid-configuration`);
  print(`  Management API   ${managementURL}`);
  print(`  Health           ${serverURL}/status`);
  print(`  Console          ${serverURL}/console/`);
  print(`  Add an API       ${serverURL}/console/gateway/configuration/edit  (as an owner; see below)`);
  print("");
}

interface Commands {
  readonly serverURL: string;
  readonly mcpURL: string;
  readonly token: string | undefined;
  /** The configuration. */
  readonly file: string;
}

function printCommands({ serverURL, mcpURL, token, file }: Commands): void {
  print("Connect Claude Code, and sign in as Ada or Ben; the page below it has the same for other clients:");
  print(`  claude mcp add --transport http countersign ${mcpURL} && claude mcp login countersign`);
  print(`  ${serverURL}/console/connect`);
  if (token !== undefined) {
    print("MCP Inspector, with the agent's token (for this machine, one hour), to paste in this folder:");
    print(
      `  ${INSPECTOR} --cli ${mcpURL} --transport http --method tools/list --header "Authorization: Bearer ${token}"`,
    );
  }
  print("The tools, and what becomes of each argument of one (on any OpenAPI document with -openapi FILE):");
  print(`  npm run -s countersign -- tools -config ${file} -tool library_lendBook`);
}

/** The way into the Console: the link for the first owner, else the command that makes a link for one. */
function printSignIn(setupLink: string | undefined, file: string): void {
  if (setupLink !== undefined) {
    print("\nOpen this link to become the first owner. It works once, and is new at each start:");
    print(`  ${setupLink}`);
    return;
  }
  print("\nA link that signs you in to the Console, with your e-mail address in the place of EMAIL:");
  print(`  npm run -s countersign -- owner -config ${file} -email EMAIL`);
}

function nextInterrupt(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => resolve());
  });
}

/** One line for what whoever starts this can put right; the whole error for what is our mistake. */
function explain(error: unknown): string {
  if (error instanceof StartupError || error instanceof ConfigurationError || error instanceof DeploymentError)
    return error.message;
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
