import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startLibrary } from "../../../../examples/quickstart/api.ts";
import { startBoard } from "../../../../examples/quickstart/board.ts";
import { consoleFolder } from "../../../../infra/node/console/folder.ts";
import { node } from "../../../runtimes/node.ts";
import { freePort } from "../../../support/free-port.ts";
import { type IdentityProvider, startIdentityProvider } from "../../../support/identity-provider.ts";
import { type RuntimeUnderTest, SETUP_TOKEN } from "../../../support/runtime.ts";
import { consoleConfiguration } from "./configuration.ts";

/** An instance with its Console on `localhost`, where passkeys work, before a REST API and an MCP server. */
export interface ConsoleServer {
  /** Without trailing slash. */
  readonly url: string;
  /** Makes whoever opens it the first owner. */
  readonly setupLink: string;
  readonly provider: IdentityProvider;
  /** The folder of the store, where the runtime has one. */
  readonly store: string;
  /** Every log line so far, on level debug. */
  logs(): readonly string[];
  stop(): Promise<void>;
}

/** @param runtime Node with SQLite unless stated */
export async function startConsoleServer(runtime: RuntimeUnderTest = node): Promise<ConsoleServer> {
  const [provider, library, boardPort] = await Promise.all([startIdentityProvider(), startLibrary(0), freePort()]);
  const boardURL = `http://localhost:${boardPort}`;
  const store = await mkdtemp(join(tmpdir(), "countersign-console-"));
  const regions = await runtime.start({
    configuration: consoleConfiguration({ hasSetupToken: runtime !== node }),
    variables: {
      LIBRARY_URL: library.url,
      BOARD_URL: boardURL,
      CONSOLE_STORE: store,
      IDP_URL: provider.issuer,
      IDP_CLIENT: provider.client.id,
      IDP_SECRET: provider.client.secret,
    },
    host: "localhost",
    alone: true,
    consoleBuild: consoleFolder(process.env),
  });
  const { url, logs } = regions.us;
  const board = await startBoard(boardPort, { issuer: url, audience: `${boardURL}/mcp` });
  await provider.register([`${url}/api/v1/sign-in/oidc/callback`]);
  return {
    url,
    setupLink: printedLink(logs()) ?? `${url}/console/setup#token=${SETUP_TOKEN}`,
    provider,
    store,
    logs,
    stop: async () => {
      await regions.stop();
      await Promise.all([board.stop(), library.stop(), provider.stop()]);
      await rm(store, { recursive: true });
    },
  };
}

function printedLink(logs: readonly string[]): string | undefined {
  return logs.find((line) => line.includes("/console/setup#token="));
}
