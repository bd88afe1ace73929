/** What the instance uses of its machine. Absent is what the runtime does not tell. */
export interface Measurement {
  /** CPUs that the process may use. */
  readonly cpuCount?: number;
  /** The share of all of them that the process used since the last measurement, or since it began: 0 to 1. */
  readonly cpuUsage?: number;
  /** Bytes that the process may have: the container's limit, else the machine's memory. */
  readonly totalMemory?: number;
  /** Bytes that the process has. */
  readonly memoryUsage?: number;
  /** What is going on at once: requests, connections, timers and other work that is waited for. */
  readonly activeResources?: number;
}

export interface HeartbeatSource {
  measure(): Measurement;
}

/** A runtime that tells nothing about itself. */
export const UNKNOWN: HeartbeatSource = { measure: () => ({}) };
