import { copyFileSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { workerdConfiguration } from "../../test/infra-cloudflare/support/workerd-configuration.ts";
import { freePort } from "../../test/support/free-port.ts";
import { workerdBinary } from "../../test/support/workerd-binary.ts";
import { type RunningProcess, startProcess } from "./process.ts";

export interface Workerd extends RunningProcess {
  readonly port: number;
}

/** A file system in memory, on Linux. */
const MEMORY = "/dev/shm";

/** Whether Durable Objects can be kept where flushing costs nothing. */
export const hasMemoryFolder = existsSync(MEMORY);

export interface ProductOptions {
  /** Path of the built Worker. */
  readonly bundle: string;
  readonly variables: Readonly<Record<string, string>>;
  /** Where the Durable Objects are kept. */
  readonly objects: "disk" | "memory";
}

/** The product in workerd, without wrangler's proxies around it, answering when this resolves. Its Durable Objects start empty. */
export function startProduct({ bundle, variables, objects: place }: ProductOptions): Promise<Workerd> {
  const kv = fileURLToPath(new URL("../../test/infra-cloudflare/support/kv.js", import.meta.url));
  return start({ "worker.js": bundle, "kv.js": kv }, place === "memory" ? MEMORY : tmpdir(), (port, objects) =>
    workerdConfiguration({ port, objects, variables }),
  );
}

/**
 * One of the small Workers in `workers/`.
 * @param upstream origin of the server that it may ask
 */
export function startSmall(name: "hello" | "verify" | "forward", upstream = ""): Promise<Workerd> {
  const worker = fileURLToPath(new URL(`./workers/${name}.js`, import.meta.url));
  return start({ "worker.js": worker }, tmpdir(), (port) => smallConfiguration(port, upstream));
}

async function start(
  files: Readonly<Record<string, string>>,
  parent: string,
  configuration: (port: number, objects: string) => string,
): Promise<Workerd> {
  const folder = mkdtempSync(join(parent, "countersign-workerd-"));
  const objects = join(folder, "objects");
  mkdirSync(objects);
  for (const [name, path] of Object.entries(files)) copyFileSync(path, join(folder, name));
  const port = await freePort();
  const file = join(folder, "config.capnp");
  writeFileSync(file, configuration(port, objects));
  const running = await startProcess(workerdBinary(), ["serve", file], `http://127.0.0.1:${port}/status`);
  return {
    ...running,
    port,
    stop: async () => {
      await running.stop();
      rmSync(folder, { recursive: true });
    },
  };
}

function smallConfiguration(port: number, upstream: string): string {
  return `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [
    (name = "main", worker = .main),
    (name = "internet", network = (allow = ["public", "private"])),
  ],
  sockets = [(name = "http", address = "127.0.0.1:${port}", http = (), service = "main")]
);
const main :Workerd.Worker = (
  modules = [(name = "worker.js", esModule = embed "worker.js")],
  compatibilityDate = "2026-11-01",
  bindings = [(name = "UPSTREAM", text = ${JSON.stringify(upstream)})]
);
`;
}
