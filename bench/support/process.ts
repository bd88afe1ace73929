import { type ChildProcess, spawn } from "node:child_process";
import { createServer } from "node:net";

export interface RunningProcess {
  stop(): Promise<void>;
}

/** A loopback port that was free a moment ago. */
export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.on("error", reject);
    server.listen(0, "localhost", () => {
      const address = server.address();
      if (address === null || typeof address === "string") reject(new Error("No port was given."));
      else server.close(() => resolve(address.port));
    });
  });
}

/** Starts a Node program and waits until the URL answers; what it wrote is part of the error when it ends instead. */
export async function startProcess(args: readonly string[], readyURL: string): Promise<RunningProcess> {
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "pipe"] });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.on("data", (chunk: Buffer) => {
      output = (output + chunk.toString()).slice(-4000);
    });
  }
  const ended = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  const deadline = Date.now() + 30_000;
  while (!(await answers(readyURL))) {
    if (child.exitCode !== null || Date.now() > deadline) {
      child.kill();
      throw new Error(`${args.join(" ")} did not start:\n${output}`);
    }
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return { stop: () => stop(child, ended) };
}

async function stop(child: ChildProcess, ended: Promise<void>): Promise<void> {
  child.kill("SIGTERM");
  await ended;
}

async function answers(url: string): Promise<boolean> {
  return fetch(url).then(
    (response) => response.ok,
    () => false,
  );
}
