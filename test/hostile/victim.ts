import { expectJson, requestToken } from "../behaviour/fixture.ts";
import type { RunningRegion } from "../support/runtime.ts";
import type { Figure, TenantClient } from "./attack.ts";

/** How long the requests of somebody who has nothing to do with an attack took, milliseconds. */
export interface Latency {
  readonly p50: number;
  readonly p95: number;
  readonly count: number;
}

/** How much slower the victim may be than it is when nothing happens. */
const SLOWDOWN = 3;

/** Token requests of the victim, one after another, until the time is over. */
export async function victimLatency(region: RunningRegion, victim: TenantClient, seconds: number): Promise<Latency> {
  const end = performance.now() + seconds * 1000;
  const times: number[] = [];
  do {
    const startedAt = performance.now();
    await expectJson(await requestToken(region, victim), 200);
    times.push(performance.now() - startedAt);
  } while (performance.now() < end);
  times.sort((a, b) => a - b);
  const at = (share: number) => times[Math.min(times.length - 1, Math.floor(times.length * share))] ?? 0;
  return { p50: at(0.5), p95: at(0.95), count: times.length };
}

/** The victim's latency while an attack goes on, beside its own when nothing happens. */
export function slowdown(name: string, quiet: Latency, attacked: Latency): readonly Figure[] {
  return [
    { name: `${name}: the victim's p50`, value: attacked.p50 / quiet.p50, limit: SLOWDOWN, unit: "x" },
    { name: `${name}: the victim's p50`, value: attacked.p50, unit: "ms" },
    { name: `${name}: the victim's p95`, value: attacked.p95, unit: "ms" },
  ];
}
