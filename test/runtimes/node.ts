import { spawn } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { CONSOLE_BUILD_VARIABLE } from "../../infra/node/console/folder.ts";
import { bytesBelow } from "../support/bytes-below.ts";
import { freePorts } from "../support/free-port.ts";
import {
  documentOf,
  ID_SECRET,
  KEY_SECRET,
  NOT_STARTED,
  type RegionsOptions,
  type RunningRegion,
  type RunningRegions,
  type RuntimeUnderTest,
  SETUP_TOKEN,
} from "../support/runtime.ts";
import { commandFile } from "../support/shared-run/command.ts";
import { compiledOnce } from "../support/shared-run/variables.ts";

/** The embedded default: one `countersign -config FILE` process a region, each on its own SQLite file. */
export const node: RuntimeUnderTest = { name: "node", start };

/** The same with two workers each, which share the port and the file. */
export const nodeWithWorkers: RuntimeUnderTest = {
  name: "node",
  processes: 2,
  start: ({ configuration, ukConfiguration, ...options }) =>
    start({
      ...options,
      configuration: withWorkers(configuration),
      ...(ukConfiguration !== undefined && { ukConfiguration: withWorkers(ukConfiguration) }),
    }),
};

function withWorkers(configuration: string): string {
  const listener = "\nhttp:\n";
  if (!configuration.includes(listener)) throw new Error("The document has no listener of its own.");
  return configuration.replace(listener, `${listener}  workers: 2\n`);
}

interface RunningServer extends RunningRegion {
  stop(): Promise<void>;
}

const notStarted: RunningServer = Object.assign(Object.create(NOT_STARTED), { stop: () => Promise.resolve() });

async function start(options: RegionsOptions): Promise<RunningRegions> {
  const folder = await mkdtemp(join(tmpdir(), "countersign-node-"));
  const [usPort = 0, ukPort = 0] = await freePorts(2);
  const { host = "127.0.0.1" } = options;
  const [usURL, ukURL] = [`http://${host}:${usPort}`, `http://${host}:${ukPort}`];
  const [us, uk] = await Promise.all([
    startRegion("us", usURL, ukURL, folder, options),
    options.alone ? notStarted : startRegion("uk", ukURL, usURL, folder, options),
  ]);
  return {
    us,
    uk,
    stop: async () => {
      const stopped = await Promise.allSettled([us.stop(), uk.stop()]);
      await rm(folder, { recursive: true });
      for (const result of stopped) if (result.status === "rejected") throw result.reason;
    },
  };
}

async function startRegion(
  region: "us" | "uk",
  url: string,
  peerURL: string,
  folder: string,
  options: RegionsOptions,
): Promise<RunningServer> {
  const file = join(folder, `${region}.yaml`);
  await writeFile(file, documentOf(region, options));
  const server = spawn(process.execPath, [await commandFile(), "-config", file], {
    env: {
      ...compiledOnce(),
      ...options.variables,
      ...(options.consoleBuild !== undefined && { [CONSOLE_BUILD_VARIABLE]: options.consoleBuild }),
      PUBLIC_URL: url,
      PEER_URL: peerURL,
      REGION: region,
      STORE_PATH: join(folder, region),
      LISTEN_ADDRESS: new URL(url).host,
      SVC_SECRET_PROVIDER: "env://TEST_",
      TEST_COUNTERSIGN_SETUP_TOKEN: SETUP_TOKEN,
      TEST_COUNTERSIGN_ID_SECRET: ID_SECRET,
      TEST_COUNTERSIGN_KEY_SECRET: KEY_SECRET,
    },
    stdio: ["ignore", "inherit", "pipe"],
  });
  const exit = new Promise<string>((resolve) => {
    server.once("exit", (code, signal) => resolve(signal ?? String(code)));
  });

  const lines: string[] = [];
  const listening = new Promise<"listening">((resolve) => {
    createInterface({ input: server.stderr }).on("line", (line) => {
      lines.push(line);
      if (line.includes('"listening"')) resolve("listening");
    });
  });
  if ((await Promise.race([listening, exit])) !== "listening") {
    throw new Error(`The server of ${region} ended with ${await exit} instead of listening:\n${lines.join("\n")}`);
  }

  return {
    region,
    url,
    ...{ pid: server.pid, keepsMemory: true },
    logs: () => lines,
    stored: () => bytesBelow(join(folder, region)),
    stop: async () => {
      server.kill("SIGTERM");
      const status = await exit;
      if (status !== "0") throw new Error(`The server of ${region} ended with ${status}, not 0.`);
    },
  };
}
