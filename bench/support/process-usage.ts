import { readFileSync } from "node:fs";

/** Linux reports CPU time in hundredths of a second (`USER_HZ`), whatever its own clock does. */
const MICROSECONDS_A_TICK = 10_000;

/** CPU time that a process has used so far, its threads and the kernel on its behalf included, microseconds; NaN where there is no `/proc`. */
export function cpuTime(pid: number): number {
  const stat = readProcess(pid, "stat");
  // The name, in parentheses, may hold anything; behind it stand state, parent, …: user time is the 12th, system time the 13th.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return (Number(fields[11] ?? Number.NaN) + Number(fields[12] ?? Number.NaN)) * MICROSECONDS_A_TICK;
}

/** Resident memory of a process, bytes; NaN where there is no `/proc`. */
export function residentMemory(pid: number): number {
  return Number(/VmRSS:\s*(\d+) kB/.exec(readProcess(pid, "status"))?.[1] ?? Number.NaN) * 1024;
}

/** What a process has had written to disk so far, bytes; NaN where there is no `/proc`. */
export function writtenBytes(pid: number): number {
  return Number(/^write_bytes: (\d+)/m.exec(readProcess(pid, "io"))?.[1] ?? Number.NaN);
}

function readProcess(pid: number, file: string): string {
  return process.platform === "linux" ? readFileSync(`/proc/${pid}/${file}`, "utf8") : "";
}
