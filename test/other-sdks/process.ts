import { type ChildProcess, execFile, spawn } from "node:child_process";
import { promisify } from "node:util";

export interface ProcessOptions {
  readonly command: string;
  readonly args: readonly string[];
  readonly variables?: Readonly<Record<string, string>>;
  /** Where it runs and keeps what it keeps. */
  readonly home: string;
}

/** How a command ended. */
export interface Ended {
  /** Null when it was ended by a signal, `ENOENT` when there is no such program. */
  readonly code: number | string | null;
  readonly stdout: string;
  /** Of both streams. */
  readonly output: string;
}

/** Runs a command to its end, at most for `seconds`. */
export async function runToEnd(options: ProcessOptions, seconds: number): Promise<Ended> {
  const { command, args, variables, home } = options;
  try {
    const { stdout, stderr } = await promisify(execFile)(command, args, {
      cwd: home,
      env: { ...process.env, ...variables },
      timeout: seconds * 1000,
      killSignal: "SIGKILL",
      maxBuffer: 64 * 1024 * 1024,
    });
    return { code: 0, stdout, output: stdout + stderr };
  } catch (cause) {
    const { code = null, stdout = "", stderr = "" } = cause as Partial<Ended> & { readonly stderr?: string };
    return { code, stdout, output: `${stdout}${stderr}` };
  }
}

export interface Serving {
  /** All that it has printed. */
  said(): string;
  stop(): Promise<void>;
}

/** Milliseconds; a Python server with many imports needs some seconds on a busy machine. */
const READY_WITHIN = 60_000;

/** Starts a server; resolves when it printed `ready`. */
export async function serve(options: ProcessOptions, ready: RegExp): Promise<Serving> {
  const child = spawn(options.command, [...options.args], {
    cwd: options.home,
    env: { PATH: process.env.PATH ?? "", HOME: options.home, NO_COLOR: "1", ...options.variables },
    stdio: ["ignore", "pipe", "pipe"],
  });
  running.add(child);
  let said = "";
  const stop = () => end(child);
  await new Promise<void>((resolve, reject) => {
    const fail = (why: string) => reject(new Error(`${options.command} ${options.args.join(" ")} ${why}:\n${said}`));
    const timer = setTimeout(() => fail("is not ready"), READY_WITHIN);
    const hear = (chunk: Buffer) => {
      said += chunk.toString();
      if (!ready.test(said)) return;
      clearTimeout(timer);
      resolve();
    };
    child.stdout.on("data", hear);
    child.stderr.on("data", hear);
    child.once("error", reject);
    child.once("exit", (code, signal) => {
      clearTimeout(timer);
      fail(`ended with ${signal ?? code}`);
    });
  }).catch(async (cause: unknown) => {
    await stop();
    throw cause;
  });
  return { said: () => said, stop };
}

const running = new Set<ChildProcess>();

// Whatever becomes of the run.
process.once("exit", () => {
  for (const child of running) child.kill("SIGKILL");
});

async function end(child: ChildProcess): Promise<void> {
  running.delete(child);
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  const exit = new Promise((resolve) => child.once("exit", resolve));
  child.kill("SIGKILL");
  await exit;
}
