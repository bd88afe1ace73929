import { readFileSync } from "node:fs";
import { exchangeAll } from "./connection.ts";
import type { HttpResponse } from "./http-response.ts";
import type { LoadAnswer, LoadOrder, LoadResult } from "./load.ts";

/** The process that `startLoadGenerator` starts: it carries out one order after the other. */
process.on("message", (order: LoadOrder) => {
  run(order).then(
    (result) => answer({ result }),
    (error: unknown) => answer({ error: String(error) }),
  );
});

async function run({ target, file, connections, expect, keep }: LoadOrder): Promise<LoadResult> {
  const requests = splitRequests(readFileSync(file));
  const latencies = new Float64Array(requests.length);
  const kept: string[] = [];
  const expected = Buffer.from(expect);
  const member = keep === undefined ? undefined : Buffer.from(`"${keep}":"`);
  let sent = 0;
  let answered = 0;
  const exchange = {
    next: () => requests[sent++],
    accept: ({ status, body }: HttpResponse) => {
      if (status !== 200 || !body.includes(expected)) {
        sent = requests.length;
        return `answered ${status}: ${body.toString().slice(0, 200)}`;
      }
      if (member !== undefined) kept.push(textAfter(body, member));
      return undefined;
    },
    record: (latency: number) => {
      latencies[answered++] = latency;
    },
  };
  const cpu = process.cpuUsage();
  const startedAt = performance.now();
  await Promise.all(Array.from({ length: connections }, () => exchangeAll(target, exchange)));
  const elapsed = performance.now() - startedAt;
  const { user, system } = process.cpuUsage(cpu);
  return { latencies, elapsed, ownCpu: user + system, kept };
}

/** Requests as `writeRequests` put them into the file. */
function splitRequests(bytes: Buffer): readonly Buffer[] {
  const requests: Buffer[] = [];
  for (let at = 0; at < bytes.length; ) {
    const length = bytes.readUInt32LE(at);
    requests.push(bytes.subarray(at + 4, at + 4 + length));
    at += 4 + length;
  }
  return requests;
}

/** A text member of a JSON body without escapes in it. */
function textAfter(body: Buffer, prefix: Buffer): string {
  const start = body.indexOf(prefix) + prefix.length;
  return body.toString("latin1", start, body.indexOf('"', start));
}

function answer(answer: LoadAnswer): void {
  process.send?.(answer);
}
