import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as pause } from "node:timers/promises";
import { behaviourConfiguration } from "../../behaviour/configuration.ts";
import {
  assertionParameters,
  issueToken,
  postForm,
  requestToken,
  signAssertion,
  tokenEndpointOf,
  tokenParameters,
} from "../../behaviour/fixture.ts";
import { bearer, call, post } from "../../behaviour/gateway-fixture.ts";
import type { RunningRegion } from "../../support/runtime.ts";
import { startUpstream } from "../../support/upstream.ts";
import type { Attack, Figure, TenantClient } from "../attack.ts";
import { asTenant, clientOf, isActive, tenants } from "../tenants.ts";

/** The size of the volume, and what it is given more when it was full, MiB. */
const SIZE = 12;
const MORE = 64;
/** Requests of the attacker at the same time, and the longest that it takes to fill the volume, milliseconds. */
const AT_ONCE = 32;
const FILLED_WITHIN = 120_000;
/** Milliseconds after which service has to resume when there is room. */
const RESUMED_WITHIN = 10_000;

/**
 * A caller fills the disk with what it may cause: nothing acknowledged is lost, reads and revocations go on, no call is made
 * without its record, the process lives, and service resumes by itself.
 */
export const fullDisk: Attack = {
  name: "full-disk",
  checklist: 41,
  runtimes: ["node"],
  async play({ start, atTheEnd, seconds }) {
    const volume = mountVolume(atTheEnd);
    if (volume === undefined) return [{ name: "played: needs root, to mount a volume", value: 0, unit: "" }];
    const upstream = await startUpstream();
    atTheEnd(() => upstream.stop());
    const configuration = behaviourConfiguration.replaceAll("{{ env.STORE_PATH }}", join(volume, "store"));
    const region = await start({ configuration, variables: { UPSTREAM_URL: upstream.url } });
    const { first: victim, second: attacker } = await tenants(region);
    const mcp = { resources: [`${region.url}/mcp`], scopes: ["notes:read", "notes:write"] };
    const bad = await clientOf(attacker, mcp);
    const good = await clientOf(victim, mcp);
    const ended = await clientOf(victim);
    const [token, revoked] = [
      await issueToken(region, good, { resource: `${region.url}/mcp` }),
      await issueToken(region, good),
    ];
    const headers = { ...bearer(token), "mcp-protocol-version": "2025-06-18" };

    const before = await post(region, call("listNotes"), headers);
    await before.text();
    const filling = await fill(region, bad);
    const asked = upstream.requests.length;
    const callAnswer = await post(region, call("listNotes"), headers);
    const callBody = await callAnswer.text();
    const tokenAnswer = await requestToken(region, good);
    const health = await fetch(`${region.url}/status`);
    const [list, records] = [
      await asTenant(victim, "GET", "/api-clients"),
      await asTenant(victim, "GET", "/audit-events"),
    ];
    const listed = await post(region, { jsonrpc: "2.0", id: 1, method: "tools/list" }, headers);
    const revocation = await postForm(`${region.url}/oauth2/revoke`, {
      token: revoked,
      ...assertionParameters(await signAssertion(good, region)),
    });
    const deletion = await asTenant(victim, "DELETE", `/api-clients/${ended.clientId}`);
    const onwards = await floodFor(region, bad, seconds * 1_000);
    const keyEnd = await asTenant(
      victim,
      "POST",
      `/api-clients/${good.clientId}/key-pairs/${good.key.keyPairId}/revoke`,
    );
    const isLost = !(await isActive(region, token));
    const lives = isAlive(region);
    execFileSync("mount", ["-o", `remount,size=${MORE}m`, volume]);
    const resumed = await untilServed(region, bad);
    const answered = 2 + filling.issued + onwards.issued + resumed.issued;
    const is = (name: string, holds: boolean): Figure => ({
      name: `not so: ${name}`,
      value: Number(!holds),
      limit: 0,
      unit: "",
    });
    const later = (response: Response) => response.status === 503 && response.headers.get("retry-after") !== null;
    return [
      { name: "tokens issued until the disk was full", value: filling.issued, unit: "" },
      {
        name: "answers other than 200, and 503 with Retry-After",
        value: filling.others + onwards.others,
        limit: 0,
        unit: "",
      },
      is("a tool call is made while there is room", before.status === 200 && asked > 0),
      is("the process lives", lives),
      is("health is 503 and names the store", health.status === 503 && (await health.text()).includes('"store"')),
      is("a token request is 503 with Retry-After", later(tokenAnswer)),
      is(
        "a tool call is 503 with Retry-After and a JSON-RPC error",
        later(callAnswer) && callBody.includes('"error":{"code"'),
      ),
      { name: "calls made without a record", value: upstream.requests.length - asked, limit: 0, unit: "" },
      is(
        "lists, records and tools are read",
        [list, records, listed].every(({ status }) => status === 200),
      ),
      is("a token is revoked", revocation.status === 200 && !(await isActive(region, revoked))),
      is("a client is deleted, and later a key revoked", deletion.ok && keyEnd.ok),
      is("a good token stays good", !isLost),
      {
        name: "acknowledged tokens without a record",
        value: Math.max(0, answered - issuedIn(volume)),
        limit: 0,
        unit: "",
      },
      { name: "from room on the disk to the next token", value: resumed.took, limit: RESUMED_WITHIN, unit: "ms" },
    ];
  },
};

/** A file system of its own in memory; undefined where this process may not mount one. */
function mountVolume(atTheEnd: (stop: () => unknown) => void): string | undefined {
  const folder = mkdtempSync(join(tmpdir(), "countersign-volume-"));
  atTheEnd(() => rmSync(folder, { recursive: true }));
  try {
    execFileSync("mount", ["-t", "tmpfs", "-o", `size=${SIZE}m`, "none", folder], { stdio: "ignore" });
  } catch {
    return undefined;
  }
  atTheEnd(() => execFileSync("umount", ["-l", folder]));
  return folder;
}

interface Flooded {
  readonly issued: number;
  readonly unavailable: number;
  /** Answers that are neither. */
  readonly others: number;
}

async function round(region: RunningRegion, client: TenantClient): Promise<Flooded> {
  const answers = await Promise.all(
    Array.from({ length: AT_ONCE }, async () => {
      const response = await postForm(tokenEndpointOf(region), tokenParameters(await signAssertion(client, region)));
      await response.text();
      return response;
    }),
  );
  const issued = answers.filter(({ status }) => status === 200).length;
  const unavailable = answers.filter(({ status, headers }) => status === 503 && headers.has("retry-after")).length;
  return { issued, unavailable, others: AT_ONCE - issued - unavailable };
}

function sum(a: Flooded, b: Flooded): Flooded {
  return { issued: a.issued + b.issued, unavailable: a.unavailable + b.unavailable, others: a.others + b.others };
}

const NOTHING: Flooded = { issued: 0, unavailable: 0, others: 0 };

/** Until nothing is issued any more for longer than the store takes to look again. */
async function fill(region: RunningRegion, client: TenantClient): Promise<Flooded> {
  const begun = performance.now();
  let all = NOTHING;
  for (let issuedAt = begun; performance.now() - issuedAt < 3_000; ) {
    if (performance.now() - begun > FILLED_WITHIN) throw new Error("the volume was not filled");
    const one = await round(region, client);
    all = sum(all, one);
    if (one.issued > 0) issuedAt = performance.now();
  }
  return all;
}

async function floodFor(region: RunningRegion, client: TenantClient, milliseconds: number): Promise<Flooded> {
  const end = performance.now() + milliseconds;
  let all = NOTHING;
  while (performance.now() < end) all = sum(all, await round(region, client));
  return all;
}

async function untilServed(
  region: RunningRegion,
  client: TenantClient,
): Promise<{ readonly took: number; readonly issued: number }> {
  const begun = performance.now();
  while (performance.now() - begun < 3 * RESUMED_WITHIN) {
    const [token, health] = [await requestToken(region, client), await fetch(`${region.url}/status`)];
    const took = performance.now() - begun;
    if (token.status === 200) return { took: health.status === 200 ? took : Number.POSITIVE_INFINITY, issued: 1 };
    await pause(50);
  }
  return { took: Number.POSITIVE_INFINITY, issued: 0 };
}

function isAlive({ pid = 0 }: RunningRegion): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

function issuedIn(volume: string): number {
  const database = new DatabaseSync(join(volume, "store", "countersign.db"));
  try {
    const row = database.prepare("SELECT count(*) AS records FROM audit_events WHERE type = 'token.issued'").get();
    return Number(row?.records);
  } finally {
    database.close();
  }
}
