/** What every benchmark is told. */
export interface BenchOptions {
  /** Measured requests of each contender. */
  readonly requests: number;
  /** Requests before them that do not count. */
  readonly warmUp: number;
  readonly connections: number;
  /** For files of the benchmark; removed after the last. */
  readonly folder: string;
  /** API clients in the large store of the benchmark that has one. */
  readonly clients: number;
  /** Records in the large audit log, or connections in the large store, of the benchmark that has one. */
  readonly records: number;
  /** How often a start or a first load is measured. */
  readonly runs: number;
  /** How long streams stay open that carry nothing; what else takes a while takes its share of that. */
  readonly seconds: number;
  /** Whether a peer is made that is not at hand as a program, which takes minutes. */
  readonly makesPeers: boolean;
  /** Of MCP, where a benchmark measures both. */
  readonly generations: readonly Generation[];
}

/** How a caller speaks MCP. */
export const GENERATIONS = ["session", "stateless"] as const;
export type Generation = (typeof GENERATIONS)[number];

/** Flags of Node for a gateway under measurement, for a profile of it: `COUNTERSIGN_BENCH_FLAGS`. */
export function flagsOfNode(): readonly string[] {
  return (process.env.COUNTERSIGN_BENCH_FLAGS ?? "").split(" ").filter((flag) => flag !== "");
}
