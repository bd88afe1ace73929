import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import { behaviourConfiguration } from "../../behaviour/configuration.ts";
import {
  assertionParameters,
  issueToken,
  NO_UPSTREAM,
  postForm,
  requestToken,
  secondsFromNow,
  signAssertion,
  tokenEndpointOf,
  tokenParameters,
} from "../../behaviour/fixture.ts";
import type { RunningRegion } from "../../support/runtime.ts";
import { startUpstream } from "../../support/upstream.ts";
import type { Attack, TenantClient } from "../attack.ts";
import { everything } from "../everything.ts";
import { whileFlooded } from "../flood.ts";
import { clientOf, isActive, tenants } from "../tenants.ts";
import { victimLatency } from "../victim.ts";

/** What the process may take beyond what it has when it is started, bytes of address space. */
const ROOM = 512 * 1024 * 1024;
const ACKNOWLEDGED = 20;
/** How far the clock is set back, seconds. */
const SET_BACK = 3_600;

/** There is little memory for what a hostile client wants: the process lives, and nothing acknowledged is lost. */
export const lowMemory: Attack = {
  name: "low-memory",
  checklist: 48,
  runtimes: ["node"],
  async play({ start, atTheEnd, seconds }) {
    const upstream = await startUpstream();
    atTheEnd(() => upstream.stop());
    const region = await start({ configuration: behaviourConfiguration, variables: { UPSTREAM_URL: upstream.url } });
    const { first: attacker, second: victim } = await tenants(region);
    const bad = await clientOf(attacker, { resources: [`${region.url}/mcp`] });
    const good = await clientOf(victim);
    const acknowledged = await Promise.all(Array.from({ length: ACKNOWLEDGED }, () => issueToken(region, good)));
    await victimLatency(region, good, 1);
    limitMemory(region);
    const { measured } = await whileFlooded(await everything(region, bad), () => victimLatency(region, good, seconds));
    const kept = await Promise.all(acknowledged.map((token) => isActive(region, token)));
    return [
      { name: "acknowledged tokens that are lost", value: kept.filter((is) => !is).length, limit: 0, unit: "" },
      { name: "tokens that the victim was given meanwhile", value: measured.count, unit: "" },
    ];
  },
};

/** As `ulimit -v` does, for a process that runs. */
function limitMemory({ pid }: RunningRegion): void {
  const [pages] = readFileSync(`/proc/${pid}/statm`, "utf8").split(" ");
  execFileSync("prlimit", ["--pid", String(pid), `--as=${Number(pages) * 4096 + ROOM}`]);
}

/**
 * The machine's clock is set back by an hour: what was used stays used, what was revoked stays revoked, what is good stays
 * good. Setting a real clock takes a machine of one's own, so the process is started with a `Date` that does it.
 */
export const clockSetBack: Attack = {
  name: "clock-set-back",
  checklist: 56,
  runtimes: ["node"],
  async play({ start, seconds }) {
    const after = Math.max(10, seconds);
    const NODE_OPTIONS = `--import=data:text/javascript,${encodeURIComponent(settingBack(after * 1000))}`;
    const region = await start({
      configuration: behaviourConfiguration,
      variables: { UPSTREAM_URL: NO_UPSTREAM, NODE_OPTIONS },
    });
    const { first: victim } = await tenants(region);
    const client = await clientOf(victim);
    const [good, revoked] = [await issueToken(region, client), await issueToken(region, client)];
    await postForm(`${region.url}/oauth2/revoke`, {
      token: revoked,
      ...assertionParameters(await signAssertion(client, region)),
    });
    // Good by both clocks, so that only its use can be the reason to refuse it.
    const claims = { iat: secondsFromNow(-SET_BACK), exp: secondsFromNow(120) };
    const used = tokenParameters(await signAssertion(client, region, { claims }));
    const first = await postForm(tokenEndpointOf(region), used);
    await untilSetBack(region, client);
    const again = await postForm(tokenEndpointOf(region), used);
    const inServersTime = { iat: secondsFromNow(-SET_BACK), exp: secondsFromNow(120 - SET_BACK) };
    const fresh = await requestToken(region, client, { claims: inServersTime });
    const count = (isSo: boolean) => Number(isSo);
    return [
      { name: "good tokens that are lost", value: count(!(await isActive(region, good))), limit: 0, unit: "" },
      { name: "revoked tokens that are good", value: count(await isActive(region, revoked)), limit: 0, unit: "" },
      { name: "uses of an assertion before", value: count(first.status === 200), unit: "" },
      { name: "uses of it after", value: count(again.status === 200), limit: 0, unit: "" },
      { name: "refused requests in the server's own time", value: count(fresh.status !== 200), limit: 0, unit: "" },
    ];
  },
};

/** A module for the beginning of every thread of the server. */
function settingBack(milliseconds: number): string {
  return `
    const Real = Date, start = Real.now() - performance.now();
    const now = () => {
      const real = Real.now();
      return real - start > ${milliseconds} ? real - ${SET_BACK * 1000} : real;
    };
    globalThis.Date = class Date extends Real {
      constructor(...given) {
        if (given.length === 0) super(now());
        else super(...given);
      }
      static now() { return now(); }
    };`;
}

/** From then on what is signed by the clock of everybody else was signed in the future. */
async function untilSetBack(region: RunningRegion, client: TenantClient): Promise<void> {
  while ((await requestToken(region, client)).status === 200) await pause(100);
}
