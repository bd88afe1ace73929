import { providerVariables } from "../test/behaviour/people-configuration.ts";
import { lambda } from "../test/runtimes/lambda.ts";
import { node } from "../test/runtimes/node.ts";
import { workerd } from "../test/runtimes/workerd.ts";
import { startDynamo } from "../test/support/dynamodb.ts";
import { startIdentityProvider } from "../test/support/identity-provider.ts";
import type { RuntimeUnderTest } from "../test/support/runtime.ts";
import { startUpstream } from "../test/support/upstream.ts";
import type { Finding } from "./support/finding.ts";
import { type Link, linkConfiguration, newLink } from "./support/link.ts";
import type { BenchOptions } from "./support/options.ts";
import { median, milliseconds } from "./support/statistics.ts";

/** One of so many requests that others measure; one at least. */
const LINK_SHARE = 1 / 1_000;
const CALLERS = 4;
/** Calls of each caller before the revocation, so that credentials are kept, and after it. */
const CALLS = 10;

/**
 * How soon a person's link with an agent stops working at the gateway of the same instance, with JWTs and kept credentials:
 * calls go on all the time while the refresh token is revoked. What must not be is a call that began after the answer to
 * the revocation and was made.
 */
export async function benchRevocation({ requests }: BenchOptions): Promise<readonly Finding[]> {
  const links = Math.max(1, Math.round(requests * LINK_SHARE));
  const dynamo = await startDynamo();
  try {
    const findings: Finding[] = [];
    for (const runtime of [node, workerd, lambda(() => dynamo)]) findings.push(await measured(runtime, links));
    return findings;
  } finally {
    await dynamo.stop();
  }
}

async function measured(runtime: RuntimeUnderTest, links: number): Promise<Finding> {
  const company = await startIdentityProvider();
  const upstream = await startUpstream();
  const variables = { UPSTREAM_URL: upstream.url, ...providerVariables(company) };
  const regions = await runtime.start({ configuration: linkConfiguration, variables });
  try {
    await company.register([`${regions.us.url}/oauth2/callback`]);
    console.log(`\nRevoking ${links} links on ${runtime.name}`);
    const revocations: Revocation[] = [];
    for (let link = 0; link < links; link += 1) {
      revocations.push(await revokeUnderLoad(await newLink(regions.us.url, company.issuer)));
    }
    const late = revocations.reduce((sum, { acceptedAfter }) => sum + acceptedAfter, 0);
    return {
      what: `Revoked link, ${runtime.name}: calls made that began after the answer`,
      measured: `${late} of ${links * CALLERS * CALLS}`,
      against: `the revocation answers after ${milliseconds(median(revocations.map(({ took }) => took)))}`,
      target: "0",
      met: late === 0,
    };
  } finally {
    await regions.stop();
    await upstream.stop();
    await company.stop();
  }
}

interface Revocation {
  /** Milliseconds until its answer. */
  readonly took: number;
  readonly acceptedAfter: number;
}

async function revokeUnderLoad({ call, revoke }: Link): Promise<Revocation> {
  let answeredAt = Number.POSITIVE_INFINITY;
  let acceptedAfter = 0;
  const once = async () => {
    const began = performance.now();
    const wasMade = await call();
    if (!wasMade && began < answeredAt && answeredAt === Number.POSITIVE_INFINITY && !isRevoking) {
      throw new Error("a call was refused before the link was revoked");
    }
    if (wasMade && began > answeredAt) acceptedAfter += 1;
  };
  let isRevoking = false;
  const caller = async () => {
    for (let count = 0; count < CALLS; count += 1) await once();
    while (answeredAt === Number.POSITIVE_INFINITY) await once();
    for (let count = 0; count < CALLS; count += 1) await once();
  };
  await once();
  const callers = Promise.all(Array.from({ length: CALLERS }, caller));
  for (let count = 0; count < CALLS; count += 1) await once();
  isRevoking = true;
  const began = performance.now();
  await revoke();
  answeredAt = performance.now();
  await callers;
  return { took: answeredAt - began, acceptedAfter };
}
