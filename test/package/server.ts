import { spawn } from "node:child_process";
import { once } from "node:events";
import { dirname } from "node:path";
import { setTimeout as pause } from "node:timers/promises";

export interface InstalledServer extends AsyncDisposable {
  readonly url: string;
  /** Ends it as a service manager does; resolves to the exit code. */
  stop(): Promise<number | null>;
}

/** Milliseconds, on a busy machine. */
const READY_WITHIN = 60_000;

/** Starts an installed command on a configuration, in the folder of that; resolves when its health answer is good. */
export async function listening(command: string, file: string, url: string): Promise<InstalledServer> {
  const child = spawn(command, ["-config", file], { cwd: dirname(file), stdio: ["ignore", "ignore", "pipe"] });
  const exited = once(child, "exit") as Promise<[number | null]>;
  let said = "";
  child.stderr.on("data", (chunk: Buffer) => {
    said += chunk.toString();
  });
  const stop = async () => {
    child.kill("SIGTERM");
    return (await exited)[0];
  };
  const dispose = async () => void (await stop());
  const until = performance.now() + READY_WITHIN;
  while (!(await isHealthy(url))) {
    if (child.exitCode !== null || performance.now() > until) {
      await dispose();
      throw new Error(`${command} does not serve ${file}:\n${said}`);
    }
    await pause(20);
  }
  return { url, stop, [Symbol.asyncDispose]: dispose };
}

function isHealthy(url: string): Promise<boolean> {
  return fetch(`${url}/status`).then(
    (answer) => answer.ok,
    () => false,
  );
}
