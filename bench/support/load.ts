import { Agent, request } from "node:http";

export interface Load {
  readonly url: string;
  /** One form body a request; each is sent once. */
  readonly bodies: readonly string[];
  readonly connections: number;
}

export interface LoadResult {
  /** Milliseconds, one a request. */
  readonly latencies: readonly number[];
  /** Milliseconds from the first request to the last answer. */
  readonly elapsed: number;
}

/** Posts every body over so many kept-alive connections, each as soon as its connection is free. Any answer but 200 rejects. */
export async function runLoad({ url, bodies, connections }: Load): Promise<LoadResult> {
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  const latencies: number[] = [];
  let next = 0;
  const started = performance.now();
  const worker = async () => {
    for (let body = bodies[next++]; body !== undefined; body = bodies[next++]) {
      const sent = performance.now();
      await post(url, body, agent);
      latencies.push(performance.now() - sent);
    }
  };
  try {
    await Promise.all(Array.from({ length: connections }, worker));
  } finally {
    agent.destroy();
  }
  return { latencies, elapsed: performance.now() - started };
}

/** The smallest latency that the given share of requests does not exceed. */
export function percentile(latencies: readonly number[], share: number): number {
  const sorted = [...latencies].sort((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? Number.NaN;
}

function post(url: string, body: string, agent: Agent): Promise<void> {
  return new Promise((resolve, reject) => {
    const headers = { "Content-Type": "application/x-www-form-urlencoded", "Content-Length": Buffer.byteLength(body) };
    const outgoing = request(url, { method: "POST", agent, headers }, (response) => {
      let text = "";
      response.setEncoding("utf8").on("data", (chunk: string) => {
        text += chunk;
      });
      response.on("end", () => {
        if (response.statusCode === 200 && text.includes('"access_token"')) resolve();
        else reject(new Error(`HTTP ${response.statusCode}: ${text.slice(0, 200)}`));
      });
      response.on("error", reject);
    });
    outgoing.on("error", reject);
    outgoing.end(body);
  });
}
