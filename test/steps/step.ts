import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { closeSync, mkdtempSync, openSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";

export interface StepCommand {
  readonly command: readonly string[];
  readonly environment?: Readonly<Record<string, string>> | undefined;
  /** The file that keeps what it prints. */
  readonly output: string;
  /** Milliseconds after which it is ended. */
  readonly limit: number;
}

export interface StepResult {
  readonly passed: boolean;
  readonly seconds: number;
}

/** How long processes may take to say where they stand, milliseconds. */
const REPORTING = 5_000;
const STACK_LINES = 15;

const running = new Set<ChildProcess>();

/**
 * Runs a command to its end or its limit. What it left running is ended, too. Beyond its limit every Node process of it
 * says where it stands, as nobody can look at it later.
 */
export async function runStep({ command, environment, output, limit }: StepCommand): Promise<StepResult> {
  const [program = "", ...parameters] = command;
  const reports = mkdtempSync(join(tmpdir(), "countersign-step-"));
  const file = openSync(output, "w");
  const startedAt = performance.now();
  const child = spawn(program, parameters, {
    stdio: ["ignore", file, file],
    // A process group of its own: the end of the step is the end of all that it started.
    detached: true,
    env: { ...process.env, ...environment, NODE_OPTIONS: reportingNode(reports) },
  });
  running.add(child);
  const ended = new Promise<boolean>((resolve) => {
    child.once("error", (error) => {
      writeFileSync(output, `${error}\n`, { flag: "a" });
      resolve(false);
    });
    child.once("exit", (code) => resolve(code === 0));
  });
  const waiting = new AbortController();
  const late = pause(limit, "late" as const, { signal: waiting.signal }).catch(() => "late" as const);
  const outcome = await Promise.race([ended, late]);
  waiting.abort();
  const account = outcome === "late" ? await accountOf(child, reports, limit) : "";
  endTree(child);
  running.delete(child);
  closeSync(file);
  rmSync(reports, { recursive: true, force: true });
  const passed = outcome === true;
  // A full disk or memory fails whatever comes along.
  if (!passed) writeFileSync(output, `${account}${printed("df", "-h", ".")}${printed("free", "-m")}`, { flag: "a" });
  return { passed, seconds: Math.round((performance.now() - startedAt) / 1000) };
}

export function endAll(): void {
  for (const child of running) endTree(child);
}

function reportingNode(folder: string): string {
  const flags = ["--report-on-signal", "--report-exclude-network", `--report-directory=${folder}`];
  return [process.env.NODE_OPTIONS ?? "", ...flags].join(" ").trim();
}

/** Processes, and of those of Node the stack and what keeps them alive. */
async function accountOf(child: ChildProcess, reports: string, limit: number): Promise<string> {
  const pids = treeOf(child);
  const tree = printed("ps", "-o", "pid,ppid,etimes,stat,wchan:20,args", "-p", pids.join(","));
  const asked = pids.filter(isReporting);
  for (const pid of asked) send(pid, "SIGUSR2");
  const end = Date.now() + REPORTING;
  let told = readReports(reports);
  while (told.length < asked.length && Date.now() < end) {
    await pause(50);
    told = readReports(reports);
  }
  const busy = asked.filter((pid) => !told.some(({ header }) => header.processId === pid));
  const stacks: string[] = [];
  for (const pid of busy) stacks.push(`Process ${pid} computes: ${await stackOf(pid)}\n`);
  return `\nIt did not end within ${limit / 60_000} minutes.\n${tree}${told.map(describe).join("")}${stacks.join("")}`;
}

interface NodeReport {
  readonly header: { readonly processId: number; readonly commandLine: readonly string[] };
  readonly javascriptStack: { readonly message?: string; readonly stack?: readonly string[] };
  readonly libuv: readonly { readonly type: string; readonly is_active?: boolean; readonly is_referenced?: boolean }[];
}

function readReports(folder: string): readonly NodeReport[] {
  return readdirSync(folder).flatMap((name) => {
    try {
      return [JSON.parse(readFileSync(join(folder, name), "utf8")) as NodeReport];
    } catch {
      // It is still being written.
      return [];
    }
  });
}

function describe({ header, javascriptStack, libuv }: NodeReport): string {
  const stack = (javascriptStack.stack ?? []).slice(0, STACK_LINES);
  const handles = libuv.filter((handle) => handle.is_active === true && handle.is_referenced === true);
  return [
    `Process ${header.processId}: ${header.commandLine.join(" ").slice(0, 300)}`,
    ...stack.map((line) => `  ${line}`),
    ...handles.map((handle) => `  alive: ${JSON.stringify(handle).slice(0, 300)}`),
    "",
  ].join("\n");
}

/** The stack of a process that computes, by Node's inspector, which answers besides. It is ended: the next one wants its port. */
async function stackOf(pid: number): Promise<string> {
  try {
    send(pid, "SIGUSR1");
    const url = await untilInspected();
    return await new Promise<string>((resolve, reject) => {
      const socket = new WebSocket(url);
      socket.onerror = () => reject(new Error("its inspector refused"));
      socket.onopen = () => {
        for (const [id, method] of ["Debugger.enable", "Debugger.pause"].entries()) {
          socket.send(JSON.stringify({ id, method }));
        }
      };
      socket.onmessage = ({ data }) => {
        const { method, params } = JSON.parse(String(data)) as { method?: string; params: { callFrames: CallFrame[] } };
        if (method === "Debugger.paused") resolve(params.callFrames.map(frameLine).join(""));
      };
      setTimeout(() => reject(new Error("it did not stop")), REPORTING);
    });
  } catch (error) {
    return String(error);
  } finally {
    send(pid, "SIGKILL");
  }
}

interface CallFrame {
  readonly functionName: string;
  readonly url: string;
  readonly location: { readonly lineNumber: number };
}

function frameLine({ functionName, url, location }: CallFrame): string {
  return `\n  at ${functionName} ${url}:${location.lineNumber + 1}`;
}

async function untilInspected(): Promise<string> {
  const end = Date.now() + REPORTING;
  for (;;) {
    try {
      const targets = (await (await fetch("http://127.0.0.1:9229/json/list")).json()) as {
        webSocketDebuggerUrl: string;
      }[];
      const [target] = targets;
      if (target !== undefined) return target.webSocketDebuggerUrl;
    } catch (error) {
      if (Date.now() > end) throw error;
    }
    await pause(50);
  }
}

/** The process and all below it, and whatever else is in its group. */
function treeOf({ pid = -1 }: ChildProcess): readonly number[] {
  const rows = printed("ps", "-e", "-o", "pid=,ppid=,pgid=")
    .split("\n")
    .map((line) => line.trim().split(/\s+/).map(Number) as [number, number, number]);
  const found = new Set([pid]);
  for (let size = 0; size < found.size; ) {
    size = found.size;
    for (const [one, parent, group] of rows) if (found.has(parent) || group === pid) found.add(one);
  }
  return [...found];
}

function isReporting(pid: number): boolean {
  try {
    return readFileSync(`/proc/${pid}/environ`, "latin1").includes("--report-on-signal");
  } catch {
    // It ended meanwhile.
    return false;
  }
}

function endTree(child: ChildProcess): void {
  for (const pid of treeOf(child)) send(pid, "SIGKILL");
}

function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    // It ended meanwhile.
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
}

function printed(program: string, ...parameters: readonly string[]): string {
  const { stdout, error } = spawnSync(program, parameters, { encoding: "utf8" });
  return error === undefined ? stdout : `${program}: ${error.message}\n`;
}
