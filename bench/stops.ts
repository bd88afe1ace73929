import { createSigner, manage } from "../test/behaviour/fixture.ts";
import {
  bearer,
  call,
  type GatewayUnderTest,
  gatewayToken,
  mcpURL,
  post,
  rpc,
  startGateway,
} from "../test/behaviour/gateway-fixture.ts";
import { lambda } from "../test/runtimes/lambda.ts";
import { node } from "../test/runtimes/node.ts";
import { workerd } from "../test/runtimes/workerd.ts";
import { startDynamo } from "../test/support/dynamodb.ts";
import { eventually } from "../test/support/eventually.ts";
import type { RuntimeUnderTest } from "../test/support/runtime.ts";
import type { Finding } from "./support/finding.ts";
import type { BenchOptions } from "./support/options.ts";
import { median, milliseconds } from "./support/statistics.ts";

/** One of so many requests that others measure; two at least. */
const STOP_SHARE = 1 / 1_000;
const CALLERS = 4;
/** Milliseconds from the answer of the switch until no call may be accepted. */
const LIMITS = { node: 1_000, workerd: 5_000, lambda: 5_000 } as const;
/** What a token of this region is not looked up by. */
const LATE: readonly string[] = ["app", "tool", "upstream"];

/** How soon after the answer of the switch the last call is accepted, while four callers call without a pause. */
export async function benchStops({ requests }: BenchOptions): Promise<readonly Finding[]> {
  const times = Math.max(2, Math.round(requests * STOP_SHARE));
  const dynamo = await startDynamo();
  try {
    const findings: Finding[] = [];
    for (const runtime of [node, workerd, lambda(() => dynamo)]) findings.push(...(await measured(runtime, times)));
    return findings;
  } finally {
    await dynamo.stop();
  }
}

async function measured(runtime: RuntimeUnderTest, times: number): Promise<readonly Finding[]> {
  const gateway = await startGateway(runtime, { alone: true });
  const findings: Finding[] = [];
  try {
    for (const kind of ["api_client", "key_pair", "agent", "app", "tool", "upstream"]) {
      console.log(`\nStopping ${kind} ${times} times on ${runtime.name}`);
      const late: number[] = [];
      for (let time = 0; time < times; time++) late.push(await stopUnderLoad(kind, gateway));
      const most = LATE.includes(kind) ? LIMITS[runtime.name] : 0;
      const worst = Math.max(...late);
      findings.push({
        what: `Stopped ${kind}, ${runtime.name}: the last accepted call began after the answer by`,
        measured: `median ${milliseconds(median(late))}, worst ${milliseconds(worst)} of ${times}`,
        against: `${CALLERS} callers without a pause`,
        target: most === 0 ? "none" : `at most ${milliseconds(most)}`,
        met: worst <= most,
      });
    }
  } finally {
    await gateway.stop();
  }
  return findings;
}

/** Milliseconds; 0: no call that began after the answer was accepted. */
async function stopUnderLoad(kind: string, { us, owner, upstream }: GatewayUnderTest): Promise<number> {
  const signer = await createSigner(owner, { scopes: ["notes:read"], resources: [mcpURL(us)] });
  const authorization = bearer(await gatewayToken(us, signer));
  const isAccepted = async () => {
    const response = await post(us, call("getNote", { noteId: "1" }), authorization);
    if (response.status !== 200) {
      await response.body?.cancel();
      return false;
    }
    const { result } = await rpc(response);
    return result !== undefined && result.isError !== true;
  };
  // What was resumed last is open again everywhere.
  await eventually(isAccepted, (accepted) => accepted);
  const ids: Readonly<Record<string, string>> = {
    api_client: signer.clientId,
    key_pair: signer.key.keyPairId,
    agent: signer.clientId,
    app: "upstream",
    tool: "upstream/getNote",
    upstream: upstream.url,
  };
  let answeredAt = Number.POSITIVE_INFINITY;
  let lastAccepted = 0;
  const until = () => answeredAt + LIMITS.workerd + 500;
  const caller = async () => {
    for (let refused = 0; performance.now() < until() && refused < 50; ) {
      const began = performance.now();
      if (await isAccepted()) lastAccepted = Math.max(lastAccepted, began);
      else if (began > answeredAt) refused++;
    }
  };
  const callers = Promise.all(Array.from({ length: CALLERS }, caller));
  const stop = { kind, id: ids[kind], state: "suspended", reason: "The benchmark stops it." };
  const placed = (await (await manage(owner, "POST", "/stops", stop)).json()) as { stop: { stopId: string } };
  answeredAt = performance.now();
  await callers;
  await manage(owner, "POST", `/stops/${placed.stop.stopId}/resume`, { reason: "The benchmark goes on." });
  return Math.max(0, lastAccepted - answeredAt);
}
