import { request as httpRequest } from "node:http";
import { createHandler } from "../infra/aws/handler.ts";
import { pause } from "../lib/kernel/timers.ts";
import { manage, NO_UPSTREAM, type Owner, setUpOwner } from "../test/behaviour/fixture.ts";
import { STATELESS_META } from "../test/behaviour/gateway-fixture.ts";
import { artifactFrom } from "../test/deployment/bundles.ts";
import { invokeInProcess, provideAwslambda } from "../test/infra-aws/support/in-process-runtime.ts";
import { openPublicDomain } from "../test/infra-aws/support/public-domain.ts";
import { startBareWorkerd } from "../test/infra-cloudflare/support/bare-workerd.ts";
import { bundledWorker } from "../test/infra-cloudflare/support/bundle.ts";
import { compiledConfiguration } from "../test/infra-cloudflare/support/configuration.ts";
import { compile, functionEnvironment, ORIGIN_SECRET } from "../test/runtimes/lambda.ts";
import { workerVariables } from "../test/runtimes/workerd.ts";
import { startDynamo } from "../test/support/dynamodb.ts";
import { freePorts } from "../test/support/free-port.ts";
import { beginning, NOTES_APP, SESSIONS, SET_UP_CONSOLE, TOKEN_SERVICE } from "../test/support/yaml.ts";
import type { Finding } from "./support/finding.ts";
import { median, milliseconds } from "./support/statistics.ts";

/** Isolates of the Worker, instances of the function. */
const INSTANCES = 3;
/** Seconds; the shortest that can be set. */
const INTERVAL = 5;
/** How often each instance is asked, milliseconds. */
const ASKED_EVERY = 20;

const VARIABLES = {
  ...{ UPSTREAM_URL: NO_UPSTREAM, SVC_CONFIG_SOURCE: "store:", SVC_CONFIG_SIGNING: "service" },
  ...{ SVC_CONFIG_DEPLOYMENT: "production", SVC_CONFIG_INTERVAL: `${INTERVAL}s` },
};

const named = (name: string) =>
  `${beginning()}${SET_UP_CONSOLE}${TOKEN_SERVICE}  keySecret: <countersign.key-secret>
mcpProvider:
  enabled: true
  serverName: ${name}
${SESSIONS}apps:
${NOTES_APP}`;

/** Instances of one region on one store, each at a port of its own. */
interface Fleet {
  /** What they call themselves. */
  readonly url: string;
  readonly ports: readonly number[];
  stop(): Promise<void>;
}

/** From the answer that something is published until the last instance answers with it, with the store as the source. */
export async function benchPublishedAtEdges(times: number): Promise<readonly Finding[]> {
  return [
    await benchFleet("Workers", await startIsolates(), times),
    await benchFleet("Lambda", await startFunctions(), times),
  ];
}

async function benchFleet(name: string, fleet: Fleet, times: number): Promise<Finding> {
  const took: number[] = [];
  try {
    const region = { region: "us", url: fleet.url, logs: () => [] } as const;
    const owner = await setUpOwner(region);
    for (let revision = 1; revision <= times; revision++) {
      await publish(owner, `revision ${revision}`, revision);
      const publishedAt = performance.now();
      await Promise.all(fleet.ports.map((port) => answersWith(`revision ${revision}`, port, fleet)));
      took.push(performance.now() - publishedAt);
    }
  } finally {
    await fleet.stop();
  }
  const limit = (INTERVAL + 1) * 1_000;
  return {
    what: `A publication in use on ${name}, by the last of ${INSTANCES} that look every ${INTERVAL} s`,
    ...{ measured: milliseconds(median(took), 0), against: `${milliseconds(Math.max(...took), 0)} at most` },
    ...{ target: `≤ ${limit} ms`, met: Math.max(...took) <= limit },
  };
}

async function publish(owner: Owner, name: string, revision: number): Promise<void> {
  const artifact = JSON.stringify(await artifactFrom(named(name)));
  const answer = await manage(owner, "POST", "/deployment/revisions", { artifact, revision });
  const text = await answer.text();
  if (answer.status !== 201) throw new Error(`publishing answered ${answer.status}: ${text}`);
}

async function answersWith(name: string, port: number, { url }: Fleet): Promise<void> {
  const limit = performance.now() + 60_000;
  while (!(await discovered(port, url)).includes(`"${name}"`)) {
    if (performance.now() > limit) throw new Error(`${name} is not in use at ${port}`);
    await pause(ASKED_EVERY);
  }
}

/** An agent at the public address, which leads to this instance. */
function discovered(port: number, url: string): Promise<string> {
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "server/discover", params: { _meta: STATELESS_META } });
  const headers = {
    ...{ host: new URL(url).host, "content-type": "application/json", accept: "application/json, text/event-stream" },
    ...{ "mcp-protocol-version": "2026-07-28", "mcp-method": "server/discover" },
  };
  return new Promise((resolve, reject) => {
    const asked = httpRequest({ host: "127.0.0.1", port, path: "/mcp", method: "POST", headers }, (response) => {
      let text = "";
      response.setEncoding("utf8").on("data", (chunk: string) => {
        text += chunk;
      });
      response.on("end", () => resolve(text));
    });
    asked.once("error", reject);
    asked.end(body);
  });
}

/** One workerd, in which the same Worker runs several times, on the same Durable Objects. */
async function startIsolates(): Promise<Fleet> {
  const [port = 0, ...more] = await freePorts(INSTANCES);
  const url = `http://127.0.0.1:${port}`;
  const configuration = await compiledConfiguration(named("built-in"));
  const bundle = await bundledWorker(configuration.path);
  const variables = { ...workerVariables("us", url, { configuration: "", variables: VARIABLES }), PEER_URL: url };
  const workerd = await startBareWorkerd({ port, more, bundle: bundle.path, variables });
  await Promise.all([bundle.remove(), configuration.remove()]);
  return { url, ports: [port, ...more], stop: workerd.stop };
}

/** Several functions in this process, each as Lambda makes them, on one set of tables. */
async function startFunctions(): Promise<Fleet> {
  provideAwslambda();
  const dynamo = await startDynamo();
  const tables = await dynamo.createTables();
  const domains = await Promise.all(Array.from({ length: INSTANCES }, () => openPublicDomain(ORIGIN_SECRET)));
  const url = domains[0]?.url ?? "";
  for (const domain of domains) {
    const handler = await createHandler({
      artifact: await compile(named("built-in")),
      environment: { ...functionEnvironment("us", url, tables, dynamo), PEER_URL: url, ...VARIABLES },
      write: () => undefined,
    });
    domain.serve(invokeInProcess(handler));
  }
  return {
    url,
    ports: domains.map((domain) => Number(new URL(domain.url).port)),
    stop: async () => {
      await Promise.all(domains.map((domain) => domain.close()));
      await dynamo.stop();
    },
  };
}
