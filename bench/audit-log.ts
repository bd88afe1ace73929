import { DatabaseSync } from "node:sqlite";
import { setImmediate } from "node:timers/promises";
import { nodeSqlDatabase } from "../infra/node/sqlite/database.ts";
import { ulid } from "../lib/kernel/ids.ts";
import { webCryptoRandom } from "../lib/kernel/random.ts";
import type { AuditEvent } from "../lib/stores/audit-log.ts";
import { appendAuditEvent } from "../lib/stores/sql/audit-log.ts";
import { freePorts } from "../test/support/free-port.ts";
import { startServer, storePath, writeConfiguration } from "./support/countersign.ts";
import type { Finding } from "./support/finding.ts";
import type { BenchOptions } from "./support/options.ts";
import { milliseconds, percentile, whole } from "./support/statistics.ts";

const BATCH = 20_000;
const READS = 50;
const WARM_UP = 5;
/** Milliseconds. */
const LIMIT = 100;
const SETUP_TOKEN = "setup-token-of-the-benchmark";

/** What the page shows first, and the searches that are worst: for what is old, rare, or not there at all. */
const PAGES: Readonly<Record<string, string>> = {
  "the first page": "/audit-events?limit=50",
  "the first page, counted": "/audit-events?limit=50&total=true",
  "a search that most records match, counted": "/audit-events?limit=50&total=true&q=library",
  "a filter, counted": "/audit-events?limit=50&total=true&outcome=success",
  "a filter that few records match": "/audit-events?limit=50&tool=rare",
  "an actor who did nothing": "/audit-events?limit=50&actor=nobody",
  "a search for a part of a tool's name": "/audit-events?limit=50&q=TOOL3",
  "a search for what nothing is called": "/audit-events?limit=50&q=nowhere",
  "a search that no index of letters helps": "/audit-events?limit=50&q=%C3%A4rzte",
  "a day of long ago": `/audit-events?limit=50&to=${new Date(Date.now() - 300 * 86_400_000).toISOString()}`,
  "the overview": "/overview",
};

/** How long people wait for a page of an audit log that is large: the slowest of many requests over HTTP, on Node. */
export async function benchAuditLog({ folder, records }: BenchOptions): Promise<readonly Finding[]> {
  const [port = 0] = await freePorts(1);
  const url = `http://localhost:${port}`;
  const configuration = writeConfiguration(folder, port, { console: { enabled: true, setupToken: SETUP_TOKEN } });
  const server = await startServer(configuration, url);
  try {
    const { cookie, organizationId } = await setUpOwner(url);
    const amid = fill(storePath(folder), organizationId, records);
    // Meanwhile the server has closed its idle connection, which is noticed in a turn of the event loop.
    await setImmediate();
    console.log(`\nPages of an audit log with ${whole(records)} records`);
    const findings: Finding[] = [];
    const pages = {
      ...PAGES,
      "a search for a request's id": `/audit-events?limit=50&q=${amid.requestId}`,
      "one record": `/audit-events/${amid.id}`,
    };
    for (const [what, path] of Object.entries(pages))
      findings.push(await measured(what, `${url}/api/v1${path}`, cookie));
    return findings;
  } finally {
    await server.stop();
  }
}

async function setUpOwner(url: string): Promise<{ readonly cookie: string; readonly organizationId: string }> {
  const answer = await fetch(`${url}/api/v1/setup`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ token: SETUP_TOKEN, organization: "Benchmark", email: "owner@example.com" }),
  });
  const cookie = answer.headers.getSetCookie()[0]?.split(";")[0];
  const profile = (await answer.json()) as { readonly organizations: readonly { readonly organizationId: string }[] };
  const [organization] = profile.organizations;
  if (cookie === undefined || organization === undefined) throw new Error(`setup answered ${answer.status}`);
  return { cookie, organizationId: organization.organizationId };
}

/** Records of a year, evenly, the last ones of now. Answers one amid them. */
function fill(folder: string, organizationId: string, records: number): AuditEvent {
  const connection = new DatabaseSync(`${folder}/countersign.db`, { timeout: 10_000 });
  connection.exec("PRAGMA synchronous = OFF");
  const db = nodeSqlDatabase(connection);
  const now = Date.now();
  const apart = (365 * 86_400_000) / records;
  const made = (n: number) => record(Math.floor(now - (records - n) * apart), n, organizationId);
  const amid = made(Math.floor(records / 2));
  for (let first = 0; first < records; first += BATCH) {
    db.transaction(() => {
      for (let n = first; n < Math.min(first + BATCH, records); n++) appendAuditEvent(db, made(n));
    });
  }
  appendAuditEvent(db, amid);
  db.close();
  return amid;
}

function record(time: number, n: number, organizationId: string): AuditEvent {
  return {
    id: ulid(time, webCryptoRandom),
    time,
    type: n % 3 === 0 ? "token.issued" : "tool.invoked",
    organizationId,
    outcome: n % 50 === 0 ? "denied" : "success",
    actor: `client_${n % 100}`,
    agent: `client_${n % 100}`,
    app: "library",
    tool: n === 0 ? "rare" : `library_tool${n % 40}`,
    durationMs: n % 90,
    requestId: ulid(time, webCryptoRandom),
    names: { [`client_${n % 100}`]: `Assistant of department ${n % 100}` },
    region: "us",
    argumentsDigest: "47DEQpj8HBSa-_TImW-5JCeuQeRkm5NMpJWZG3hSuFU",
  };
}

async function measured(what: string, url: string, cookie: string): Promise<Finding> {
  const taken = new Float64Array(READS);
  for (let read = -WARM_UP; read < READS; read++) {
    const began = performance.now();
    const answer = await fetch(url, { headers: { cookie } });
    const body = await answer.text();
    if (answer.status !== 200) throw new Error(`${url} answered ${answer.status}: ${body}`);
    if (read >= 0) taken[read] = performance.now() - began;
  }
  const worst = percentile(taken, 1);
  return {
    what: `Large audit log on Node: ${what}`,
    measured: `${milliseconds(percentile(taken, 0.5))}, ${milliseconds(worst)} at most`,
    against: `limit ${milliseconds(LIMIT, 0)}`,
    ratio: (worst / LIMIT).toFixed(2),
    target: "≤ 1",
    met: worst <= LIMIT,
  };
}
