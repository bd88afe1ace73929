import { type ChildProcess, spawn } from "node:child_process";
import { join } from "node:path";

export interface ServerProgram {
  /** Of its MCP endpoint. */
  readonly url: string;
  /** Starts it at the same address; it remembers nothing of before. */
  start(): Promise<void>;
  /** As a crash would: without a word to anybody. */
  kill(): Promise<void>;
}

export interface ProgramOptions {
  /** Below `node_modules`. */
  readonly script: string;
  readonly args?: readonly string[];
  readonly variables?: Readonly<Record<string, string>>;
  /** Where it keeps what it keeps. */
  readonly home: string;
  readonly url: string;
}

/** Milliseconds; the slowest needs two seconds. */
const START_WITHIN = 30_000;

const LOOPBACK = join(import.meta.dirname, "loopback.ts");

/** One of the installed packages' servers on this Node. */
export function serverProgram(options: ProgramOptions): ServerProgram {
  let child: ChildProcess | undefined;
  return {
    url: options.url,
    start: async () => {
      child = spawned(options);
      running.add(child);
      await listening(child, options);
    },
    kill: async () => {
      if (child !== undefined) await end(child);
      child = undefined;
    },
  };
}

export function installed(script: string): string {
  return join(import.meta.dirname, "node_modules", script);
}

/** Ends what still runs, with all processes that it started. */
export async function killServers(): Promise<void> {
  await Promise.all([...running].map(end));
}

/** The same without waiting for their end. */
export function killServersNow(): void {
  for (const { pid, exitCode, signalCode } of running)
    if (pid !== undefined && exitCode === null && signalCode === null) process.kill(-pid, "SIGKILL");
}

const running = new Set<ChildProcess>();

function spawned({ script, args = [], variables, home }: ProgramOptions): ChildProcess {
  return spawn(process.execPath, ["--import", LOOPBACK, installed(script), ...args], {
    env: { PATH: process.env.PATH ?? "", HOME: home, TMPDIR: home, NO_COLOR: "1", ...variables },
    cwd: home,
    stdio: ["ignore", "pipe", "pipe"],
    // A group of its own, so that what it starts ends with it.
    detached: true,
  });
}

/** Resolves when it listens at its port (`loopback.ts` says so). */
function listening(child: ChildProcess, { script, url }: ProgramOptions): Promise<void> {
  const announcement = `"port":${new URL(url).port}}`;
  return new Promise((resolve, reject) => {
    let said = "";
    const fail = (why: string) => reject(new Error(`${script} ${why}:\n${said}`));
    const timer = setTimeout(() => fail("does not listen"), START_WITHIN);
    const hear = (chunk: Buffer): void => {
      if (said.includes(announcement)) return;
      said += chunk.toString();
      if (!said.includes(announcement)) return;
      clearTimeout(timer);
      resolve();
    };
    child.stdout?.on("data", hear);
    child.stderr?.on("data", hear);
    child.once("error", reject);
    child.once("exit", (code, signal) => {
      clearTimeout(timer);
      fail(`ended with ${signal ?? code}`);
    });
  });
}

async function end(child: ChildProcess): Promise<void> {
  running.delete(child);
  const { pid } = child;
  if (pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  const exit = new Promise((resolve) => child.once("exit", resolve));
  process.kill(-pid, "SIGKILL");
  await exit;
}
