import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { text } from "node:stream/consumers";
import { runCommandLine } from "../../infra/node/command-line.ts";
import type { CommandIo } from "../../infra/node/io.ts";
import { freePort } from "../support/free-port.ts";
import { commandFile } from "../support/shared-run/command.ts";
import { compiledOnce } from "../support/shared-run/variables.ts";

export interface Finished {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface ServedWorkplace {
  /** What the server wrote to its log so far. */
  readonly log: readonly string[];
  /** Resolves when the process is over, by whatever. */
  readonly ended: Promise<unknown>;
  stop(): Promise<void>;
  kill(): Promise<void>;
}

/** A configuration and a store of their own, and the real command line on them. */
export interface Workplace {
  readonly url: string;
  readonly folder: string;
  /** The configuration file. */
  readonly config: string;
  /** The folder of the store, which the first command or server makes. */
  readonly store: string;
  /** Runs `countersign` with `-config` of this workplace in the environment. */
  countersign(...args: readonly string[]): Promise<Finished>;
  /** The same with more variables. */
  countersignWith(variables: Readonly<Record<string, string>>, ...args: readonly string[]): Promise<Finished>;
  /**
   * The same command in this process, which starts none: for its other answers where a test beside has seen what its process
   * does with them.
   */
  here(...args: readonly string[]): Promise<Finished>;
  /** Starts the command and does not wait for it. */
  start(...args: readonly string[]): ChildProcess;
  /** Starts the server; resolves when it listens. */
  serve(): Promise<ServedWorkplace>;
  remove(): void;
}

/** A resource server that may introspect every token. */
export const INTROSPECTOR = { clientId: "resource-server", secret: "secret-of-the-resource-server" } as const;

/**
 * A workplace in a folder of its own. With the URL of another one, whose server does not run, it takes that one's place;
 * the store is in the folder unless it is given.
 */
export async function createWorkplace(
  options: {
    readonly url?: string;
    readonly store?: string;
    readonly logger?: string;
    /** Processes that answer; one unless given. */
    readonly workers?: number;
    /** Of every command and server. */
    readonly environment?: Readonly<Record<string, string>>;
  } = {},
): Promise<Workplace> {
  const folder = mkdtempSync(join(tmpdir(), "countersign-cli-"));
  const { url = `http://localhost:${await freePort()}`, store = join(folder, "data") } = options;
  const config = join(folder, "countersign.yaml");
  const logger = options.logger === undefined ? "" : `logger: ${options.logger}\n`;
  const written = yaml(new URL(url).port, store) + logger;
  const { workers } = options;
  const program = await commandFile();
  writeFileSync(config, workers === undefined ? written : written.replace("http:\n", `http:\n  workers: ${workers}\n`));
  const start = (args: readonly string[], variables: Readonly<Record<string, string>> = {}) =>
    spawn(process.execPath, [program, ...args], {
      env: { PATH: process.env.PATH, ...compiledOnce(), SVC_CONFIG: config, ...options.environment, ...variables },
      stdio: ["ignore", "pipe", "pipe"],
    });
  return {
    url,
    folder,
    config,
    store,
    here: (...args) => inThisProcess(args, { SVC_CONFIG: config, ...options.environment }),
    start: (...args) => start(args),
    countersign: (...args) => finished(start(args)),
    countersignWith: (variables, ...args) => finished(start(args, variables)),
    serve: async () => {
      const child = start([]);
      const exited = once(child, "exit");
      child.stdout.resume();
      const lines: string[] = [];
      await new Promise<void>((resolve, reject) => {
        createInterface({ input: child.stderr }).on("line", (line) => {
          lines.push(line);
          if (line.includes("listening")) resolve();
        });
        exited.then(() => reject(new Error(`the server ended:\n${lines.join("\n")}`)), reject);
      });
      const end = async (signal: NodeJS.Signals) => {
        child.kill(signal);
        await exited;
      };
      return { log: lines, ended: exited, stop: () => end("SIGTERM"), kill: () => end("SIGKILL") };
    },
    remove: () => rmSync(folder, { recursive: true }),
  };
}

/** The command line in this process, which starts none. */
export async function inThisProcess(
  args: readonly string[],
  environment: CommandIo["environment"],
  onStderr: (all: string) => void = () => undefined,
): Promise<Finished> {
  const output = { stdout: "", stderr: "" };
  const code = await runCommandLine(args, {
    stdout: (text) => {
      output.stdout += text;
    },
    stderr: (text) => {
      output.stderr += text;
      onStderr(output.stderr);
    },
    environment,
  });
  return { code, ...output };
}

async function finished(child: ReturnType<typeof spawn>): Promise<Finished> {
  const { stdout, stderr } = child;
  if (stdout === null || stderr === null) throw new Error("the command has no output");
  const [[code], out, err] = await Promise.all([once(child, "exit"), text(stdout), text(stderr)]);
  return { code: code as number | null, stdout: out, stderr: err };
}

const yaml = (port: string, path: string) => `
version: "1"
http:
  address: localhost:${port}
store:
  path: ${path}
console:
  enabled: true
oidcProvider:
  region: us
apps:
  - type: oidc
    name: resource server
    clientID: ${INTROSPECTOR.clientId}
    credentials:
      secrets:
        - ${INTROSPECTOR.secret}
`;
