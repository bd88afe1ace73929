import { readdirSync, readFileSync } from "node:fs";

/** A process that this one started. */
export interface ChildProcess {
  readonly pid: number;
  /** Program and first arguments. */
  readonly command: string;
  /** Clock ticks since the machine started: tells a process from a later one with its number. */
  readonly startedAt: string;
  readonly residentBytes: number;
}

/** The running children of this process (Linux). */
export function childProcesses(): readonly ChildProcess[] {
  return readdirSync("/proc").flatMap((name) => {
    if (!/^\d+$/.test(name)) return [];
    const child = readProcess(Number(name));
    return child === undefined ? [] : [child];
  });
}

export function identity({ pid, startedAt }: ChildProcess): string {
  return `${pid} started at ${startedAt}`;
}

function readProcess(pid: number): ChildProcess | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    // The name in parentheses may hold anything; the state is the first field behind it.
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    if (Number(fields[1]) !== process.pid || fields[0] === "Z") return undefined;
    const command = readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0").slice(0, 4).join(" ");
    const resident = /^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? "0";
    return { pid, command, startedAt: fields[19] ?? "", residentBytes: Number(resident) * 1024 };
  } catch {
    // It ended while it was looked at.
    return undefined;
  }
}
