import { type ChildProcess, spawn } from "node:child_process";
import { join } from "node:path";

/** How a program ended. */
export interface Ended {
  /** Null when it was killed. */
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface ProgramOptions {
  /** Where it keeps what it keeps; there is nothing in it at first. */
  readonly home: string;
  readonly variables?: Readonly<Record<string, string>>;
  /** In which it runs; this one unless stated. */
  readonly folder?: string;
  /** Milliseconds; a minute unless stated. */
  readonly within?: number;
  /** Called with all of stderr so far whenever there is more. */
  readonly onStderr?: (text: string) => void;
  /** The same for stdout. */
  readonly onStdout?: (text: string) => void;
}

/** No check may take longer. */
const WITHIN_MS = 60_000;

/** Runs one of the installed packages' programs on this Node to its end. */
export function runProgram(script: string, args: readonly string[], options: ProgramOptions): Promise<Ended> {
  return runCommand(process.execPath, [programPath(script), ...args], options);
}

export function runCommand(command: string, args: readonly string[], options: ProgramOptions): Promise<Ended> {
  const child = spawn(command, [...args], {
    cwd: options.folder,
    env: programEnvironment(options),
    stdio: ["ignore", "pipe", "pipe"],
    timeout: options.within ?? WITHIN_MS,
    killSignal: "SIGKILL",
  });
  running.add(child);
  let [stdout, stderr] = ["", ""];
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    stdout += text;
    options.onStdout?.(stdout);
  });
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    stderr += text;
    options.onStderr?.(stderr);
  });
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code) => {
      running.delete(child);
      resolve({ code, stdout, stderr });
    });
  });
}

export function programPath(script: string): string {
  return join(import.meta.dirname, "node_modules", script);
}

/** No display: a program that would open a browser finds none, and says where it wanted to go. */
export function programEnvironment({ home, variables = {} }: ProgramOptions): Record<string, string> {
  return { PATH: process.env.PATH ?? "", HOME: home, NO_COLOR: "1", ...variables };
}

/** Ends what still runs, for when a check was given up. */
export function killPrograms(): void {
  for (const child of running) child.kill("SIGKILL");
}

const running = new Set<ChildProcess>();
