import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { freePort } from "./free-port.ts";
import { ID_SECRET, type RunningRegion, SETUP_TOKEN } from "./runtime.ts";
import { commandFile } from "./shared-run/command.ts";
import { compiledOnce } from "./shared-run/variables.ts";
import { startUpstream, type Upstream } from "./upstream.ts";

/** A server on Node before an API, as one process after the other on one store. */
export interface MortalServer {
  readonly region: RunningRegion;
  readonly upstream: Upstream;
  /** `kill -9`. */
  kill(): Promise<void>;
  /** After `kill`. */
  restart(): Promise<void>;
  /** Kills it and deletes its store. */
  close(): Promise<void>;
}

/** @param configuration a document that takes what every runtime under test provides, and `UPSTREAM_URL` */
export async function startMortalServer(configuration: string): Promise<MortalServer> {
  const folder = await mkdtemp(join(tmpdir(), "countersign-mortal-"));
  const [port, upstream] = await Promise.all([freePort(), startUpstream()]);
  const file = join(folder, "countersign.yaml");
  await writeFile(file, configuration);
  const url = `http://127.0.0.1:${port}`;
  const start = () =>
    startServer(file, {
      PUBLIC_URL: url,
      REGION: "us",
      STORE_PATH: join(folder, "store"),
      LISTEN_ADDRESS: `127.0.0.1:${port}`,
      UPSTREAM_URL: upstream.url,
    });
  let server = await start();
  return {
    region: { region: "us", url, logs: () => [] },
    upstream,
    kill: () => kill(server),
    restart: async () => {
      server = await start();
    },
    close: async () => {
      await kill(server);
      await upstream.stop();
      await rm(folder, { recursive: true });
    },
  };
}

/** Resolves when it listens. */
async function startServer(file: string, variables: Readonly<Record<string, string>>): Promise<ChildProcess> {
  const child = spawn(process.execPath, [await commandFile(), "-config", file], {
    env: {
      ...compiledOnce(),
      ...variables,
      SVC_SECRET_PROVIDER: "env://TEST_",
      TEST_COUNTERSIGN_SETUP_TOKEN: SETUP_TOKEN,
      TEST_COUNTERSIGN_ID_SECRET: ID_SECRET,
    },
    stdio: ["ignore", "inherit", "pipe"],
  });
  const written: string[] = [];
  for await (const line of createInterface({ input: child.stderr })) {
    written.push(line);
    if (!line.includes('"listening"')) continue;
    child.stderr.resume();
    return child;
  }
  throw new Error(`The server ended instead of listening:\n${written.join("\n")}`);
}

async function kill(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, "exit");
  child.kill("SIGKILL");
  await ended;
}
