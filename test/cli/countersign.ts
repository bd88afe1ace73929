import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { text } from "node:stream/consumers";
import { freePorts } from "../support/free-port.ts";

const CLI = join(import.meta.dirname, "../../infra/node/cli.ts");

export interface Finished {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A configuration and a store of their own, and the real command line on them. */
export interface Workplace {
  readonly url: string;
  readonly folder: string;
  /** Runs `countersign` with `-config` of this workplace in the environment. */
  countersign(...args: readonly string[]): Promise<Finished>;
  /** Starts the server; resolves when it listens. */
  serve(): Promise<{ stop(): Promise<void> }>;
  remove(): void;
}

export async function createWorkplace(): Promise<Workplace> {
  const folder = mkdtempSync(join(tmpdir(), "countersign-cli-"));
  const [port = 0] = await freePorts(1);
  const url = `http://localhost:${port}`;
  const config = join(folder, "countersign.yaml");
  writeFileSync(config, yaml(port, join(folder, "data")));
  const start = (args: readonly string[]) =>
    spawn(process.execPath, [CLI, ...args], {
      env: { PATH: process.env.PATH, SVC_CONFIG: config },
      stdio: ["ignore", "pipe", "pipe"],
    });
  return {
    url,
    folder,
    countersign: async (...args) => {
      const child = start(args);
      const [[code], stdout, stderr] = await Promise.all([once(child, "exit"), text(child.stdout), text(child.stderr)]);
      return { code: code as number | null, stdout, stderr };
    },
    serve: async () => {
      const child = start([]);
      const exited = once(child, "exit");
      child.stdout.resume();
      await new Promise<void>((resolve, reject) => {
        const lines: string[] = [];
        createInterface({ input: child.stderr }).on("line", (line) => {
          lines.push(line);
          if (line.includes("listening")) resolve();
        });
        exited.then(() => reject(new Error(`the server ended:\n${lines.join("\n")}`)), reject);
      });
      return {
        stop: async () => {
          child.kill("SIGTERM");
          await exited;
        },
      };
    },
    remove: () => rmSync(folder, { recursive: true }),
  };
}

const yaml = (port: number, path: string) => `
version: "1"
http:
  address: localhost:${port}
store:
  path: ${path}
console:
  enabled: true
oidcProvider:
  region: us
`;
