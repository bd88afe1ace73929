import { mkdtempSync, rmSync } from "node:fs";
import { Session } from "node:inspector/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { connect, discover, requestToken } from "../../examples/quickstart/agent.ts";
import { startLibrary } from "../../examples/quickstart/api.ts";
import { startBoard } from "../../examples/quickstart/board.ts";
import { startDesk } from "../../examples/quickstart/desk/desk.ts";
import { startProvider } from "../../examples/quickstart/sample-provider.ts";
import { providerClient, quickstartConfiguration } from "../../examples/quickstart/start/configuration.ts";
import { sampleClient } from "../../examples/quickstart/start/sample-client.ts";
import { openSecrets } from "../../infra/node/secrets.ts";
import { startServer } from "../../infra/node/server.ts";
import { resolveConfiguration } from "../../lib/config/resolve.ts";
import { root } from "../repository/files.ts";
import { browserFetch } from "../support/browser-fetch.ts";
import { freePort } from "../support/free-port.ts";
import { openBrowser } from "../support/person.ts";

/** A kind of request and the product's files of which a function ran while one was answered. */
export interface MeasuredCall {
  readonly name: string;
  readonly files: readonly string[];
}

/** Requests before the measured one, so that what is read once (metadata, lists, keys) is there. */
const WARM_UP = 3;

/** Starts the quickstart in this process, sends one request of each kind and asks V8 which functions ran meanwhile. */
export async function measureCalls(): Promise<readonly MeasuredCall[]> {
  const folder = mkdtempSync(join(tmpdir(), "countersign-structure-"));
  const before = process.cwd();
  // The quickstart's store lies below the working directory.
  process.chdir(folder);
  const running: { stop(): Promise<void> }[] = [];
  try {
    const ports = {
      server: await freePort(),
      library: await freePort(),
      board: await freePort(),
      provider: await freePort(),
      desk: await freePort(),
    };
    const artifact = await quickstartConfiguration(ports);
    const secrets = await openSecrets(undefined, {});
    const { configuration } = await resolveConfiguration(artifact, { environment: {}, secrets, runtime: "node" });
    const mcpURL = configuration.mcpProvider?.stream?.resource ?? "";
    const credentials = await sampleClient(configuration, mcpURL);
    running.push(await startLibrary(ports.library));
    const issuer = configuration.oidcProvider?.issuer ?? "";
    running.push(await startBoard(ports.board, { issuer, audience: `http://localhost:${ports.board}/mcp` }));
    running.push(await startProvider(ports.provider, providerClient(configuration)));
    running.push(await startDesk(ports.desk, { libraryURL: `http://localhost:${ports.library}`, signOutURL: "/" }));
    running.push(await startServer({ artifact, environment: {}, secrets, verbose: false }));
    const discovery = await discover(mcpURL);
    const agent = connect(discovery, await requestToken(discovery.server, credentials, mcpURL));
    return await measured({
      "token request": () => requestToken(discovery.server, credentials, mcpURL),
      "Bridge call": () => agent.callTool("library_searchBooks", { query: "sea" }),
      "Proxy call": () => agent.callTool("board_listNotices", {}),
      "web request": await asLibrarian(`http://library.localhost:${ports.server}/desk`),
    });
  } finally {
    for (const part of running.reverse()) await part.stop();
    process.chdir(before);
    rmSync(folder, { recursive: true });
  }
}

/** A person signs in; the same page again, as the browser asks for it. */
async function asLibrarian(page: string): Promise<() => Promise<unknown>> {
  const PAGE = { "sec-fetch-mode": "navigate", accept: "text/html" };
  const browser = openBrowser(
    () => true,
    (url, init) => browserFetch(url, { ...init, headers: { ...PAGE, ...(init.headers as Record<string, string>) } }),
  );
  await browser.press(await browser.open(page), "Ada Byron");
  return async () => {
    const { response } = await browser.open(page);
    if (response?.status !== 200) throw new Error(`${page} answers ${response?.status}`);
  };
}

async function measured(requests: Readonly<Record<string, () => Promise<unknown>>>): Promise<readonly MeasuredCall[]> {
  const session = new Session();
  session.connect();
  await session.post("Profiler.enable");
  await session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: false });
  const calls: MeasuredCall[] = [];
  for (const [name, request] of Object.entries(requests)) {
    for (let count = 0; count < WARM_UP; count++) await request();
    // Taking the coverage resets the counts.
    await session.post("Profiler.takePreciseCoverage");
    await request();
    const { result } = await session.post("Profiler.takePreciseCoverage");
    calls.push({ name, files: filesOf(result) });
  }
  session.disconnect();
  return calls;
}

interface ScriptCoverage {
  readonly url: string;
  readonly functions: readonly { readonly ranges: readonly { readonly count: number }[] }[];
}

function filesOf(scripts: readonly ScriptCoverage[]): readonly string[] {
  const base = pathToFileURL(root).href;
  return scripts
    .filter(({ functions }) => functions.some(({ ranges }) => ranges.some(({ count }) => count > 0)))
    .map(({ url }) => (url.startsWith(base) ? url.slice(base.length) : ""))
    .filter((path) => /^(?:lib|functions|infra)\//.test(path))
    .sort();
}
