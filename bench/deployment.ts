import { writeFileSync } from "node:fs";
import { rename } from "node:fs/promises";
import { join } from "node:path";
import { pause } from "../lib/kernel/timers.ts";
import { STATELESS_META } from "../test/behaviour/gateway-fixture.ts";
import { createWorkplace, type ServedWorkplace } from "../test/cli/countersign.ts";
import { artifactFrom, publisher } from "../test/deployment/bundles.ts";
import { startLive } from "../test/deployment/live.ts";
import { type InProcess, ISSUER } from "../test/support/in-process.ts";
import { bridgeApp } from "../test/support/yaml.ts";
import { benchPublishedAtEdges } from "./deployment-edges.ts";
import type { Finding } from "./support/finding.ts";
import type { BenchOptions } from "./support/options.ts";
import { median, milliseconds } from "./support/statistics.ts";

const TOOLS = 2_000;
/** Milliseconds. */
const SWAP = 50;
const STALL = 20;
const IN_USE = 1_000;

/** What a publication costs a running instance, and how soon it is in use on each runtime. */
export async function benchDeployment({ runs }: BenchOptions): Promise<readonly Finding[]> {
  const times = Math.max(5, runs);
  return [...(await benchSwap(times)), ...(await benchPublished(times)), ...(await benchPublishedAtEdges(times))];
}

async function benchSwap(times: number): Promise<readonly Finding[]> {
  const [first, ...published] = await Promise.all(Array.from({ length: times + 1 }, (_, number) => withTools(number)));
  const { it, kept } = await startLive(first as Awaited<ReturnType<typeof withTools>>);
  const swaps: number[] = [];
  const stalls: number[] = [];
  try {
    await discovered(it.send, 0);
    for (const [index, artifact] of published.entries()) {
      const stop = watchStalls();
      const startedAt = performance.now();
      await kept.takeOver(artifact, () => Promise.resolve());
      swaps.push(performance.now() - startedAt);
      // The first request has the gateway made anew.
      await discovered(it.send, index + 1);
      stalls.push(await stop());
    }
  } finally {
    await it.close();
  }
  return [
    {
      what: `Swap of a configuration with ${TOOLS} tools`,
      ...{ measured: milliseconds(median(swaps)), against: `${milliseconds(Math.max(...swaps))} at most` },
      ...{ target: `≤ ${SWAP} ms`, met: Math.max(...swaps) <= SWAP },
    },
    {
      what: "Longest stall of the event loop, with the first request after it",
      ...{ measured: milliseconds(median(stalls)), against: `${milliseconds(Math.max(...stalls))} at most` },
      ...{ target: `≤ ${STALL} ms`, met: Math.max(...stalls) <= STALL },
    },
  ];
}

function withTools(number: number) {
  const response = `{description: done, content: {application/json: {schema: {type: object, properties: {a: {type: string}}}}}}`;
  const id = "{name: id, in: path, required: true, schema: {type: string}}";
  const paths = Array.from({ length: TOOLS }, (_, tool) => {
    const summary = `Shows the thing ${tool} of revision ${number}`;
    return `  /things/${tool}/{id}: {get: {operationId: tool${tool}, summary: ${summary}, parameters: [${id}], responses: {"200": ${response}}}}`;
  });
  const openapi = `openapi: 3.1.0\ninfo: {title: Things, version: "1"}\npaths:\n${paths.join("\n")}`;
  return artifactFrom(`version: "${number}"
http: {publicURL: "${ISSUER}"}
store: {path: ./data}
mcpProvider:
  enabled: true
  serverName: revision ${number}
  transports: {stream: {enabled: true, path: /mcp}}
apps:
${bridgeApp("one", openapi)}`);
}

async function discovered(send: InProcess["send"], number: number): Promise<void> {
  const response = await send("/mcp", {
    method: "POST",
    headers: {
      ...{ "content-type": "application/json", accept: "application/json, text/event-stream" },
      ...{ "mcp-protocol-version": "2026-07-28", "mcp-method": "server/discover" },
    },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "server/discover", params: { _meta: STATELESS_META } }),
  });
  if (!(await response.text()).includes(`revision ${number}`)) throw new Error(`revision ${number} does not answer`);
}

/** @returns the longest time between two turns of the event loop until then, milliseconds */
function watchStalls(): () => Promise<number> {
  let [last, longest, isOver] = [performance.now(), 0, false];
  const look = (): void => {
    const now = performance.now();
    longest = Math.max(longest, now - last);
    last = now;
    if (!isOver) setImmediate(look);
  };
  look();
  return async () => {
    await pause(20);
    isOver = true;
    return longest;
  };
}

/** A server that follows a file: from the moment that the file is in its place. */
async function benchPublished(times: number): Promise<readonly Finding[]> {
  const ours = await publisher();
  const first = await createWorkplace();
  const bundle = join(first.folder, "bundle.json");
  writeFileSync(join(first.folder, "public.pem"), ours.publicPem);
  const workplace = await createWorkplace({
    url: first.url,
    store: first.store,
    environment: {
      SVC_CONFIG_SOURCE: `file://${bundle}`,
      SVC_CONFIG_KEYS: `@${join(first.folder, "public.pem")}`,
      SVC_CONFIG_DEPLOYMENT: "production",
      SVC_CONFIG_CACHE: join(first.folder, "cache.json"),
      SVC_CONFIG_FALLBACK: "builtin",
    },
  });
  const server = await workplace.serve();
  const took: number[] = [];
  try {
    const address = new URL(first.url).host;
    for (let revision = 1; revision <= times; revision++) {
      const yaml = `version: "${revision}"\nhttp: {address: "${address}"}\nstore: {path: ${first.store}}\nconsole: {enabled: true}\noidcProvider: {region: us}\n`;
      writeFileSync(`${bundle}.new`, await ours.bundle(await artifactFrom(yaml), { region: "us", revision }));
      const startedAt = performance.now();
      await rename(`${bundle}.new`, bundle);
      await inUse(server, revision);
      took.push(performance.now() - startedAt);
    }
  } finally {
    await server.stop();
    workplace.remove();
    first.remove();
  }
  return [
    {
      what: "A publication in use on Node, from a file",
      ...{ measured: milliseconds(median(took)), against: `${milliseconds(Math.max(...took))} at most` },
      ...{ target: `≤ ${IN_USE} ms`, met: Math.max(...took) <= IN_USE },
    },
  ];
}

async function inUse({ log }: ServedWorkplace, revision: number): Promise<void> {
  const replaced = new RegExp(`configuration replaced.*configVersion=${revision}(?:\\s|$)`);
  const limit = performance.now() + 30_000;
  while (!log.some((line) => replaced.test(line))) {
    if (performance.now() > limit) throw new Error(`revision ${revision} is not in use:\n${log.join("\n")}`);
    await pause(5);
  }
}
