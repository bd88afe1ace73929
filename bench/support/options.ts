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
}
