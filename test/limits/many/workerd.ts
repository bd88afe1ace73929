import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { copyFile, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { eventually } from "../../support/eventually.ts";
import { freePort } from "../../support/free-port.ts";
import { workerdBinary } from "../../support/workerd-binary.ts";
import type { Instances } from "./instances.ts";
import type { Round } from "./round.ts";

const OBJECTS = {
  REGISTRY: "Registry",
  TOKEN_SHARDS: "TokenShard",
  AUDIT_SHARDS: "AuditShard",
  MCP_SESSIONS: "McpSession",
  UPSTREAM_CALLS: "UpstreamCall",
};

/** So many isolates of one workerd, each a Worker of its own, and one more that has the Durable Objects of all. */
export async function isolates(count: number): Promise<Instances> {
  const folder = await mkdtemp(join(tmpdir(), "countersign-isolates-"));
  await mkdir(join(folder, "objects"));
  await copyFile(supportFile("../../infra-cloudflare/support/kv.js"), join(folder, "kv.js"));
  await bundle(supportFile("../../support/stores-worker/worker.ts"), join(folder, "objects.js"));
  await bundle(supportFile("../../support/stores-worker/limiting-worker.ts"), join(folder, "isolate.js"));
  const port = await freePort();
  await writeFile(join(folder, "config.capnp"), configuration(count, port, folder));
  const child = spawn(workerdBinary(), ["serve", join(folder, "config.capnp")], { stdio: "inherit" });
  const kill = () => child.kill("SIGKILL");
  // Also when the tests are broken off.
  process.once("exit", kill);
  const ask = async (isolate: number, round: Round): Promise<readonly string[]> => {
    const response = await fetch(`http://127.0.0.1:${port}/${isolate}`, {
      method: "POST",
      body: JSON.stringify(round),
    });
    if (!response.ok) throw new Error(`isolate ${isolate} answered ${response.status}: ${await response.text()}`);
    return (await response.json()) as readonly string[];
  };
  const all = async (round: Round) =>
    (await Promise.all(Array.from({ length: count }, (_, isolate) => ask(isolate, round)))).flat();
  await eventually(
    () =>
      all({ names: [], exact: [] }).then(
        () => child.exitCode === null,
        () => false,
      ),
    Boolean,
  );
  return {
    take: all,
    stop: async () => {
      process.off("exit", kill);
      await ended(child);
      await rm(folder, { recursive: true });
    },
  };
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exit = once(child, "exit");
  child.kill("SIGKILL");
  await exit;
}

async function bundle(script: string, outfile: string): Promise<void> {
  await build({
    entryPoints: [script],
    outfile,
    bundle: true,
    format: "esm",
    target: "es2024",
    conditions: ["workerd", "worker"],
    external: ["cloudflare:*"],
    logLevel: "error",
  });
}

function supportFile(path: string): string {
  return fileURLToPath(new URL(path, import.meta.url));
}

/** Cap'n Proto text. The Worker in front hands a request to the isolate that its path names. */
function configuration(count: number, port: number, folder: string): string {
  const numbers = Array.from({ length: count }, (_, number) => number);
  const classes = Object.values(OBJECTS).map(
    (name) => `(className = "${name}", uniqueKey = "${name}", enableSql = true)`,
  );
  const bindings = (to: (className: string) => string) =>
    [
      '(name = "REGION", text = "us")',
      ...Object.entries(OBJECTS).map(
        ([name, className]) => `(name = "${name}", durableObjectNamespace = ${to(className)})`,
      ),
      '(name = "CLIENTS", kvNamespace = "kv")',
    ].join(", ");
  const common = 'compatibilityDate = "2026-11-01", compatibilityFlags = ["enable_request_signal"]';
  const front = `export default {
    fetch: (request, env) => env["I" + new URL(request.url).pathname.slice(1)].fetch(request),
  };`;
  return `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [
    (name = "front", worker = .front),
    (name = "owner", worker = .owner),
    (name = "kv", worker = (modules = [(name = "kv.js", esModule = embed "kv.js")], ${common})),
    (name = "disk", disk = (path = "${folder}/objects", writable = true)),
    ${numbers.map((number) => `(name = "i${number}", worker = .isolate)`).join(",\n    ")}
  ],
  sockets = [(name = "http", address = "127.0.0.1:${port}", http = (), service = "front")]
);
const front :Workerd.Worker = (
  modules = [(name = "front.js", esModule = ${JSON.stringify(front)})], ${common},
  bindings = [${numbers.map((number) => `(name = "I${number}", service = "i${number}")`).join(", ")}]
);
const isolate :Workerd.Worker = (
  modules = [(name = "isolate.js", esModule = embed "isolate.js")], ${common},
  bindings = [${bindings((className) => `(className = "${className}", serviceName = "owner")`)}]
);
const owner :Workerd.Worker = (
  modules = [(name = "objects.js", esModule = embed "objects.js")], ${common},
  durableObjectNamespaces = [${classes.join(", ")}],
  durableObjectStorage = (localDisk = "disk"),
  bindings = [${bindings((className) => `"${className}"`)}]
);
`;
}
