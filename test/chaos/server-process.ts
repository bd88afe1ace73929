import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { setTimeout as pause } from "node:timers/promises";
import type { Life } from "./target.ts";

/** How long a start may take on a busy machine, milliseconds. */
const START_DEADLINE = 60_000;
const POLL = 10;

export interface ServerCommand {
  readonly command: string;
  readonly parameters: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  /** Answers 200 when the server is ready. */
  readonly healthURL: string;
  /** Receives each line of its output. */
  readonly write: (line: string) => void;
}

export interface ProcessLife extends Life {
  /** Undefined where it could not be started. */
  readonly pid: number | undefined;
}

/** Starts a server process; it dies with this one. */
export function startProcess({ command, parameters, environment, healthURL, write }: ServerCommand): ProcessLife {
  const child = spawn(command, parameters, { env: environment, stdio: ["ignore", "pipe", "pipe"] });
  const gone = once(child, "exit");
  for (const stream of [child.stdout, child.stderr]) createInterface({ input: stream }).on("line", write);
  const killIt = () => child.kill("SIGKILL");
  process.once("exit", killIt);
  gone.then(() => process.removeListener("exit", killIt));
  return {
    pid: child.pid,
    ready: untilHealthy(child, healthURL),
    ended: () => hasEnded(child),
    kill: async () => {
      killIt();
      if (!hasEnded(child)) await gone;
    },
  };
}

async function untilHealthy(child: ChildProcess, healthURL: string): Promise<boolean> {
  const deadline = Date.now() + START_DEADLINE;
  while (!hasEnded(child)) {
    if (await isHealthy(healthURL)) return true;
    if (Date.now() > deadline) throw new Error(`The server did not answer within ${START_DEADLINE} ms.`);
    await pause(POLL);
  }
  return false;
}

function isHealthy(healthURL: string): Promise<boolean> {
  return fetch(healthURL, { headers: { Connection: "close" } }).then(
    async (response) => {
      await response.arrayBuffer();
      return response.status === 200;
    },
    () => false,
  );
}

function hasEnded(child: ChildProcess): boolean {
  return child.exitCode !== null || child.signalCode !== null;
}
