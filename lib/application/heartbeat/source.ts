/** What the instance uses of its machine. Null is what the runtime does not tell. */
export interface Measurement {
  /** CPUs that the process may use. */
  readonly cpuCount: number | null;
  /** The share of all of them that the process used since the last measurement, or since it began: 0 to 1. */
  readonly cpuUsage: number | null;
  /** Bytes that the process may have: the container's limit, else the machine's memory. */
  readonly totalMemory: number | null;
  /** Bytes that the process has. */
  readonly memoryUsage: number | null;
  /** What is going on at once: requests, connections, timers and other work that is waited for. */
  readonly activeResources: number | null;
}

export interface HeartbeatSource {
  measure(): Measurement;
}

/** A runtime that tells nothing about itself. */
export const UNKNOWN: HeartbeatSource = {
  measure: () => ({
    cpuCount: null,
    cpuUsage: null,
    totalMemory: null,
    memoryUsage: null,
    activeResources: null,
  }),
};
