import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import type { Mood, UpstreamSettings } from "./upstream/moods.ts";

const MAIN = fileURLToPath(new URL("upstream/main.ts", import.meta.url));

/** An upstream MCP server, as one process after the other on one port. */
export interface UpstreamProcess {
  readonly settings: UpstreamSettings;
  readonly url: string;
  /** How many processes it has been. */
  lives(): number;
  start(): Promise<void>;
  /** SIGKILL; its sessions are forgotten. */
  kill(): Promise<void>;
  /** Until it is told otherwise, or starts anew. */
  be(mood: Mood): void;
  /** Resolves when it has ended by itself, to false when it has not within so many milliseconds. */
  ended(within: number): Promise<boolean>;
}

export function upstreamProcess(settings: UpstreamSettings): UpstreamProcess {
  let child: ChildProcess | undefined;
  let lives = 0;
  const isAlive = () => child !== undefined && child.exitCode === null && child.signalCode === null;
  return {
    settings,
    url: `http://127.0.0.1:${settings.port}/mcp`,
    lives: () => lives,
    start: async () => {
      child = fork(MAIN, [JSON.stringify(settings)], { stdio: ["ignore", "inherit", "inherit", "ipc"] });
      lives += 1;
      const [message] = await Promise.race([once(child, "message"), once(child, "exit")]);
      if (message !== "listening") throw new Error(`The upstream ${settings.name} did not start.`);
    },
    kill: async () => {
      if (child === undefined || !isAlive()) return;
      const gone = once(child, "exit");
      child.kill("SIGKILL");
      await gone;
    },
    be: (mood) => {
      if (child?.connected) child.send(mood, ignore);
    },
    ended: async (within) => {
      const end = Date.now() + within;
      while (isAlive() && Date.now() < end) await pause(10);
      return !isAlive();
    },
  };
}

function ignore(): void {
  // A process that died meanwhile has no mood.
}
