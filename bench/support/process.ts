import { type ChildProcess, spawn } from "node:child_process";

export interface RunningProcess {
  readonly pid: number;
  /** From its start to its first answer, milliseconds. */
  readonly startedIn: number;
  stop(): Promise<void>;
}

/**
 * Starts a program and waits until the URL answers; what it wrote is part of the error when it ends instead. Every server
 * that is measured starts here, so that all get the same environment.
 */
export async function startProcess(
  program: string,
  args: readonly string[],
  readyURL: string,
): Promise<RunningProcess> {
  const env = { ...process.env, NODE_ENV: "production" };
  const startedAt = performance.now();
  const child = spawn(program, args, { env, stdio: ["ignore", "pipe", "pipe"] });
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
      throw new Error(`${program} did not start:\n${output}`);
    }
    await new Promise((resolve) => setTimeout(resolve, READY_POLL));
  }
  const startedIn = performance.now() - startedAt;
  return { pid: child.pid as number, startedIn, stop: () => stop(child, ended) };
}

/** Milliseconds between two questions whether a process is ready. */
const READY_POLL = 2;

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
