import { watch } from "node:fs";
import { mkdtemp, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePort } from "../support/free-port.ts";
import { SETUP_TOKEN } from "../support/runtime.ts";
import { chaosConfiguration } from "./configuration.ts";
import { startProcess } from "./server-process.ts";
import { storedTokens } from "./stored.ts";
import type { Target } from "./target.ts";

const CLI = join(import.meta.dirname, "../../infra/node/cli.ts");

/** `countersign -config FILE` on an embedded store in a folder of its own. */
export async function nodeServer(): Promise<Target> {
  const folder = await mkdtemp(join(tmpdir(), "countersign-chaos-node-"));
  const store = join(folder, "store");
  const file = join(folder, "countersign.yaml");
  await writeFile(file, chaosConfiguration("node"));
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const lines: string[] = [];
  const environment = {
    PUBLIC_URL: url,
    REGION: "us",
    STORE_PATH: store,
    LISTEN_ADDRESS: `127.0.0.1:${port}`,
    SVC_SECRET_PROVIDER: "env://TEST_",
    TEST_COUNTERSIGN_SETUP_TOKEN: SETUP_TOKEN,
  };
  return {
    name: "node",
    url,
    folder,
    seesChangesAtOnce: true,
    lifetime: { least: 300, most: 4_000 },
    troubles: [],
    delicateMoment: (within) => written(join(store, "countersign.db"), within),
    launch: () =>
      startProcess({
        command: process.execPath,
        parameters: [CLI, "-config", file],
        environment,
        healthURL: `${url}/status`,
        write: (line) => lines.push(line),
      }),
    undelivered: async () => 0,
    logs: () => lines,
    stored: async () => storedTokens([join(store, "countersign.db")]),
    close: async () => undefined,
  };
}

/** The database file itself is written only when the log is copied into it. */
async function written(file: string, within: number): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const watcher = watch(file, () => resolve(true));
  const timer = setTimeout(resolve, within, false);
  const isWritten = await promise;
  clearTimeout(timer);
  watcher.close();
  return isWritten;
}
