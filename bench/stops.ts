import { withIssuer } from "../test/behaviour/configuration.ts";
import { createSigner, expectJson, manage, type Owner } from "../test/behaviour/fixture.ts";
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
import type { Tenant } from "../test/hostile/attack.ts";
import { asTenant, clientOf } from "../test/hostile/tenants.ts";
import { lambda } from "../test/runtimes/lambda.ts";
import { node } from "../test/runtimes/node.ts";
import { workerd } from "../test/runtimes/workerd.ts";
import { startDynamo } from "../test/support/dynamodb.ts";
import { eventually } from "../test/support/eventually.ts";
import type { RuntimeUnderTest } from "../test/support/runtime.ts";
import { type Issuer, startIssuer } from "../test/support/token-issuer.ts";
import type { Finding } from "./support/finding.ts";
import type { BenchOptions } from "./support/options.ts";
import { median, milliseconds } from "./support/statistics.ts";

/** One of so many requests that others measure; one at least. */
const STOP_SHARE = 1 / 1_000;
const CALLERS = 4;
/** Milliseconds from the answer of the switch until no call may be accepted. */
const LIMITS = { node: 1_000, workerd: 5_000, lambda: 5_000 } as const;
/** What a token of this region is not looked up by. */
const LATE: readonly string[] = ["person", "app", "tool", "upstream"];
const KINDS = ["organization", "api_client", "key_pair", "agent", ...LATE];

/** All organizations' agents, and people of an issuer that this region does not run, may call the tools. */
function openToAll(configuration: string): string {
  return `${withIssuer(configuration).replace("      inbound:\n", "      inbound:\n        members: any\n")}    shared: true\n`;
}

/** How soon after the answer of the switch the last call is accepted, while four callers call without a pause. */
export async function benchStops({ requests }: BenchOptions): Promise<readonly Finding[]> {
  const times = Math.max(1, Math.round(requests * STOP_SHARE));
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
  const issuer = await startIssuer();
  const variables = { ISSUER_URL: issuer.wellKnown };
  const gateway = await startGateway(runtime, { alone: true, change: openToAll, variables });
  const findings: Finding[] = [];
  try {
    for (const kind of KINDS) {
      console.log(`\nStopping ${kind} ${times} times on ${runtime.name}`);
      const late: number[] = [];
      for (let time = 0; time < times; time++) late.push(await stopUnderLoad(kind, gateway, issuer));
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
    await issuer.stop();
  }
  return findings;
}

/** Milliseconds; 0: no call that began after the answer was accepted. */
async function stopUnderLoad(kind: string, { us, owner, upstream }: GatewayUnderTest, issuer: Issuer): Promise<number> {
  // Whom it stopped stays signed out of it.
  const other = kind === "organization" ? await founded(owner) : undefined;
  const terms = { scopes: ["notes:read"], resources: [mcpURL(us)] };
  const signer = await (other === undefined ? createSigner(owner, terms) : clientOf(other, terms));
  const user = crypto.randomUUID();
  const person = () => issuer.issue(mcpURL(us), { user, client: "some-agent", scope: "notes:read" });
  const authorization = bearer(await (kind === "person" ? person() : gatewayToken(us, signer)));
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
    ...(other !== undefined && { organization: other.organizationId }),
    person: user,
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
  const of = kind === "person" ? { issuer: issuer.url } : {};
  const stop = { kind, id: ids[kind], ...of, state: "suspended", reason: "The benchmark stops it." };
  const placed = (await (await change(owner, "/stops", stop)).json()) as { stop: { stopId: string } };
  answeredAt = performance.now();
  await callers;
  await change(owner, `/stops/${placed.stop.stopId}/resume`, { reason: "The benchmark goes on." });
  return Math.max(0, lastAccepted - answeredAt);
}

/** An organization has one change a second after the first sixty. */
function change(owner: Owner, path: string, body: object): Promise<Response> {
  return eventually(
    () => manage(owner, "POST", path, body),
    ({ status }) => status !== 429,
  );
}

async function founded(owner: Owner): Promise<Tenant> {
  const answer = await asTenant(owner, "POST", "/organizations", { name: "Another" });
  const { organizationId } = await expectJson<{ organizationId: string }>(answer, 201);
  return { ...owner, organizationId };
}
