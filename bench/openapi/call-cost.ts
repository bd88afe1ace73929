import { median } from "../support/statistics.ts";

/** CPU of one call of a tool, and of one plain `fetch` that sends the same and reads the answer; microseconds. */
export interface CallCost {
  readonly call: number;
  readonly fetch: number;
}

/** Two operations of one API, as tools are called and as an HTTP client would. */
export interface ComparedCalls {
  readonly get: ComparedCall;
  readonly post: ComparedCall;
}

export interface ComparedCall {
  /** Rejects when the answer is not the API's. */
  readonly call: () => Promise<void>;
  readonly fetch: () => Promise<unknown>;
}

const CALLS = 1_000;
const ROUNDS = 9;

/** Measures in turns, in this process, one request at a time; the first turn does not count. */
export async function compareCalls({ get, post }: ComparedCalls): Promise<CallCost> {
  const costs = { call: [] as number[], fetch: [] as number[] };
  for (let round = 0; round <= ROUNDS; round++) {
    for (const way of round % 2 === 0 ? (["call", "fetch"] as const) : (["fetch", "call"] as const)) {
      const cost = await cpuOf(get[way], post[way]);
      if (round > 0) costs[way].push(cost);
    }
  }
  return { call: median(costs.call), fetch: median(costs.fetch) };
}

async function cpuOf(...requests: readonly (() => Promise<unknown>)[]): Promise<number> {
  const before = process.cpuUsage();
  for (let sent = 0; sent < CALLS; sent++) for (const request of requests) await request();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / (CALLS * requests.length);
}
