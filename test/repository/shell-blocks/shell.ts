import { type ChildProcess, spawn } from "node:child_process";

export interface ShellOptions {
  readonly text: string;
  readonly cwd: string;
  readonly port: number;
}

export interface RunningBlock {
  /**
   * Ctrl-C: an interrupt to the whole foreground group. Resolves once every process of it has ended, to whether the
   * server said that it stops. The exit code says nothing: npm and the shells around the server end by the signal.
   */
  interrupt(): Promise<boolean>;
}

const READY = "Press Ctrl-C to stop.";
const STOPPED = /Stopping\.\n$/;
const MINUTES = 30;

/** Runs a block to its end; rejects with what it wrote unless it ends with 0. */
export async function runBlock(options: ShellOptions): Promise<void> {
  const shell = startShell(options);
  const code = await shell.ended;
  const how = code === null ? `was ended, after ${MINUTES} minutes at the latest` : `ended with ${code}`;
  if (code !== 0) throw new Error(`${how}:\n${shell.output()}`);
}

/** Starts a block that stays up and waits until it says so. */
export async function startBlock(options: ShellOptions): Promise<RunningBlock> {
  const shell = startShell(options);
  await Promise.race([shell.wrote(READY), shell.ended]);
  if (!shell.output().includes(READY)) throw new Error(`ended early:\n${shell.output()}`);
  return {
    interrupt: async () => {
      signalGroup(shell.child, "SIGINT");
      await shell.ended;
      return STOPPED.test(shell.output());
    },
  };
}

function startShell({ text, cwd, port }: ShellOptions) {
  // A group of its own stands for the terminal's foreground group.
  const child = spawn("bash", ["-euo", "pipefail", "-c", text], {
    cwd,
    env: { ...plainEnvironment(), PORT: String(port) },
    stdio: ["ignore", "pipe", "pipe"],
    detached: true,
  });
  let output = "";
  const waiting: { readonly text: string; readonly resolve: () => void }[] = [];
  for (const stream of [child.stdout, child.stderr]) {
    stream.on("data", (chunk: Buffer) => {
      output = (output + chunk.toString()).slice(-20_000);
      for (const wait of waiting) if (output.includes(wait.text)) wait.resolve();
    });
  }
  const timer = setTimeout(() => signalGroup(child, "SIGKILL"), MINUTES * 60_000);
  const ended = new Promise<number | null>((resolve) => {
    child.once("close", (code) => {
      clearTimeout(timer);
      resolve(code);
    });
  });
  const wrote = (text: string) => new Promise<void>((resolve) => waiting.push({ text, resolve }));
  return { child, ended, wrote, output: () => output };
}

/** Without what npm adds for this repository's own scripts, as in a terminal. */
function plainEnvironment(): NodeJS.ProcessEnv {
  const variables = Object.entries(process.env).filter(([name]) => !/^(npm_|INIT_CWD$|NODE_)/i.test(name));
  const path = (process.env.PATH ?? "").split(":").filter((folder) => !/node_modules/.test(folder));
  return { ...Object.fromEntries(variables), PATH: path.join(":") };
}

function signalGroup({ pid }: ChildProcess, signal: NodeJS.Signals): void {
  if (pid !== undefined) process.kill(-pid, signal);
}
