import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { builtinModules } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { build } from "esbuild";
import { eventually } from "../../support/eventually.ts";
import { freePort } from "../../support/free-port.ts";
import { workerdBinary } from "../../support/workerd-binary.ts";
import type { LoopbackHosts } from "./loopback-fetch.ts";

/** workerd with a Worker that reads secrets. */
export interface ProvidersOnWorkerd {
  /** The secret, or the message of the error. */
  read(url: string, reference: string, environment?: Readonly<Record<string, string>>): Promise<string>;
  close(): Promise<void>;
}

/** The Worker reaches the named hosts, with TLS on loopback, and nothing else; it trusts the authority. */
export async function providersOnWorkerd(hosts: LoopbackHosts, authority: string): Promise<ProvidersOnWorkerd> {
  const folder = await mkdtemp(join(tmpdir(), "countersign-providers-"));
  const port = await freePort();
  await build({
    entryPoints: [join(import.meta.dirname, "providers-worker.ts")],
    outfile: join(folder, "worker.js"),
    bundle: true,
    format: "esm",
    target: "es2024",
    conditions: ["workerd", "worker"],
    // Of what only other runtimes open, which is left out in the end.
    external: ["node:*", ...builtinModules],
    logLevel: "error",
  });
  await writeFile(join(folder, "router.js"), ROUTER);
  await writeFile(join(folder, "config.capnp"), configuration(port, hosts, authority));
  const child = spawn(workerdBinary(), ["serve", join(folder, "config.capnp")], { stdio: "ignore" });
  // Also when the tests are broken off.
  const kill = () => child.kill("SIGKILL");
  process.once("exit", kill);
  const read: ProvidersOnWorkerd["read"] = async (url, reference, environment = {}) => {
    const body = JSON.stringify({ url, reference, environment });
    return (await fetch(`http://127.0.0.1:${port}/`, { method: "POST", body })).text();
  };
  const isUp = () =>
    read("env://", "none").then(
      () => true,
      () => false,
    );
  await eventually(isUp, (up) => up || child.exitCode !== null);
  return {
    read,
    close: async () => {
      const ended = child.exitCode === null ? once(child, "exit") : undefined;
      process.off("exit", kill);
      kill();
      await ended;
      await rm(folder, { recursive: true });
    },
  };
}

/** Hands a request to the service that is bound by the name of its host. */
const ROUTER = `export default {
  fetch(request, env) {
    return env[new URL(request.url).hostname].fetch(request, { redirect: "manual" });
  },
};`;

function configuration(port: number, hosts: LoopbackHosts, authority: string): string {
  const date = 'compatibilityDate = "2026-11-01"';
  const names = Object.keys(hosts);
  const bindings = names.map((name) => `(name = "${name}", service = "${name}")`);
  const trusted = JSON.stringify(authority);
  const servers = Object.entries(hosts).map(
    ([name, at]) =>
      `(name = "${name}", external = (address = "127.0.0.1:${at}", https = (certificateHost = "${name}", ` +
      `options = (style = host), tlsOptions = (trustedCertificates = [${trusted}]))))`,
  );
  return `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [
    (name = "main", worker = (modules = [(name = "worker.js", esModule = embed "worker.js")], ${date}, globalOutbound = "router")),
    (name = "router", worker = (modules = [(name = "router.js", esModule = embed "router.js")], ${date}, bindings = [${bindings.join(", ")}])),
    ${servers.join(",\n    ")}
  ],
  sockets = [(name = "http", address = "127.0.0.1:${port}", http = (), service = "main")]
);
`;
}
