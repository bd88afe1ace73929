import { spawn } from "node:child_process";
import { once } from "node:events";
import { copyFile, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { bytesBelow } from "../../support/bytes-below.ts";
import { workerdBinary } from "../../support/workerd-binary.ts";
import { type OutboundServer, workerdConfiguration } from "./workerd-configuration.ts";

export interface BareWorkerdOptions {
  readonly port: number;
  /** Path of the built Worker. */
  readonly bundle: string;
  readonly variables: Readonly<Record<string, string>>;
  /** Where all requests of the Worker go; the network unless given. */
  readonly outbound?: OutboundServer;
  /** Ports of more isolates of the same Worker, on the same Durable Objects. */
  readonly more?: readonly number[];
  /** Port that the inspector of the isolates listens on; none unless given. */
  readonly inspectorPort?: number;
}

export interface BareWorkerd {
  /** Of the process that runs now. */
  pid(): number;
  /** From the start of the process to the first answer of the Worker, milliseconds. */
  readonly startedIn: number;
  /** Lines that the Worker logged, in all its lives. */
  logs(): readonly string[];
  /** Ends the process with SIGKILL. What its Durable Objects stored stays. */
  kill(): Promise<void>;
  /** After `kill`: another process on the same Durable Objects, listening when this resolves. */
  restart(): Promise<void>;
  /** The bytes of all that its Durable Objects and KV hold, and of what KV held. */
  stored(): Promise<Buffer>;
  stop(): Promise<void>;
}

/** workerd without wrangler's proxies around it, listening when this resolves. Its Durable Objects start empty. */
export async function startBareWorkerd({
  port,
  bundle,
  variables,
  outbound,
  more = [],
  inspectorPort,
}: BareWorkerdOptions): Promise<BareWorkerd> {
  const folder = await mkdtemp(join(tmpdir(), "countersign-workerd-"));
  const objects = join(folder, "objects");
  const kv = join(folder, "kv");
  const file = join(folder, "config.capnp");
  await Promise.all([mkdir(objects), mkdir(kv)]);
  await copyFile(bundle, join(folder, "worker.js"));
  await copyFile(fileURLToPath(new URL("kv.js", import.meta.url)), join(folder, "kv.js"));
  await writeFile(
    file,
    workerdConfiguration({ port, objects, kv, variables, more, ...(outbound !== undefined && { outbound }) }),
  );

  const startedAt = performance.now();
  const inspector = inspectorPort === undefined ? [] : [`-i127.0.0.1:${inspectorPort}`];
  const lives = [await live(port, [...inspector, file])];
  const startedIn = performance.now() - startedAt;
  const last = () => lives.at(-1) as Life;
  return {
    pid: () => last().pid,
    startedIn,
    logs: () => lives.flatMap(({ output }) => output().split("\n")).filter((line) => line !== ""),
    kill: () => last().end("SIGKILL"),
    restart: async () => {
      lives.push(await live(port, [...inspector, file]));
    },
    stored: () => bytesBelow(objects, kv),
    stop: async () => {
      await last().end("SIGTERM");
      await rm(folder, { recursive: true });
    },
  };
}

interface Life {
  readonly pid: number;
  output(): string;
  end(signal: NodeJS.Signals): Promise<void>;
}

/** Resolves when the process answers. */
async function live(port: number, args: readonly string[]): Promise<Life> {
  const child = spawn(workerdBinary(), ["serve", ...args], { stdio: ["ignore", "pipe", "pipe"] });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (text: string) => {
      output += text;
    });
  }
  const deadline = Date.now() + 30_000;
  while (!(await answers(port))) {
    if (child.exitCode !== null || Date.now() > deadline) {
      child.kill();
      throw new Error(`workerd did not start:\n${output}`);
    }
    await pause(2);
  }
  return {
    pid: child.pid as number,
    output: () => output,
    end: async (signal) => {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const ended = once(child, "exit");
      child.kill(signal);
      await ended;
    },
  };
}

function answers(port: number): Promise<boolean> {
  return fetch(`http://127.0.0.1:${port}/status`).then(
    () => true,
    () => false,
  );
}
