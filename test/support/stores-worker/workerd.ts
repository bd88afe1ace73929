import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { copyFile, mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { workerdConfiguration } from "../../infra-cloudflare/support/workerd-configuration.ts";
import { freePort } from "../free-port.ts";
import { builtOnce } from "../shared-run/built-once.ts";
import { workerdBinary } from "../workerd-binary.ts";
import type { Post } from "./remote-stores.ts";

const START_WITHIN_MS = 30_000;

/** Durable Objects on this disk, and the workerd that runs them, one at a time. */
export interface ObjectsOnDisk {
  /** Starts workerd with a Worker of this folder, on whatever earlier ones stored. */
  start(script: string): Promise<RunningWorkerd>;
  /** Ends what runs. Resolves to the databases of all objects. */
  files(): Promise<readonly string[]>;
  /** Ends what runs and deletes the objects. */
  close(): Promise<void>;
}

export interface RunningWorkerd {
  readonly post: Post;
  /** `kill -9`. */
  kill(): Promise<void>;
}

export async function objectsOnDisk(): Promise<ObjectsOnDisk> {
  const folder = await mkdtemp(join(tmpdir(), "countersign-objects-"));
  await mkdir(join(folder, "objects"));
  await copyFile(supportFile("kv.js"), join(folder, "kv.js"));
  let running: RunningWorkerd | undefined;
  const kill = async () => {
    await running?.kill();
    running = undefined;
  };
  return {
    start: async (script) => {
      await kill();
      const built = await builtOnce([script], (into) => bundle(script, join(into, "worker.js")));
      await copyFile(join(built.folder, "worker.js"), join(folder, "worker.js"));
      await built.remove();
      running = await startWorkerd(folder);
      return running;
    },
    files: async () => {
      await kill();
      const entries = await readdir(join(folder, "objects"), { recursive: true });
      return entries.filter((name) => name.endsWith(".sqlite")).map((name) => join(folder, "objects", name));
    },
    close: async () => {
      await kill();
      await rm(folder, { recursive: true });
    },
  };
}

async function bundle(script: string, outfile: string): Promise<void> {
  await build({
    entryPoints: [join(import.meta.dirname, script)],
    outfile,
    bundle: true,
    format: "esm",
    target: "es2024",
    conditions: ["workerd", "worker"],
    external: ["cloudflare:*"],
    logLevel: "error",
  });
}

async function startWorkerd(folder: string): Promise<RunningWorkerd> {
  const port = await freePort();
  const file = join(folder, "config.capnp");
  const variables = { REGION: "us" };
  await writeFile(file, workerdConfiguration({ port, objects: join(folder, "objects"), variables }));
  const child = spawn(workerdBinary(), ["serve", file], { stdio: "ignore" });
  // Also when the tests are broken off.
  const kill = () => child.kill("SIGKILL");
  process.once("exit", kill);
  await untilAnswering(child, port);
  return {
    post: (path, body) => fetch(`http://127.0.0.1:${port}${path}`, { method: "POST", body }),
    kill: async () => {
      process.off("exit", kill);
      if (child.exitCode !== null || child.signalCode !== null) return;
      const ended = once(child, "exit");
      kill();
      await ended;
    },
  };
}

async function untilAnswering(child: ChildProcess, port: number): Promise<void> {
  const deadline = Date.now() + START_WITHIN_MS;
  let cause: unknown;
  while (child.exitCode === null && Date.now() < deadline) {
    try {
      await fetch(`http://127.0.0.1:${port}/`);
      return;
    } catch (error) {
      cause = error;
      await pause(5);
    }
  }
  child.kill("SIGKILL");
  throw new Error("workerd did not start", { cause });
}

function supportFile(name: string): string {
  return fileURLToPath(new URL(`../../infra-cloudflare/support/${name}`, import.meta.url));
}
