import type { WaitUntil } from "../kernel/refreshing-cache.ts";
import { pollUntil } from "../kernel/timers.ts";
import { type Component, refreshDue } from "./component.ts";
import type { StoreProbe } from "./store-probe.ts";

/** What GET `health.location` answers (D13). The components are those that are not up; without any, the member is absent. */
export interface HealthReport {
  /** `degraded`: an app of the configuration is not served, and everything else is. */
  readonly status: "up" | "degraded" | "down";
  readonly components?: readonly ComponentReport[];
}

export interface ComponentReport {
  readonly name: string;
  readonly status: "down" | "not_served";
  /** `open`: nothing is sent to it for now; `half_open`: it is being tried, or will be with the next request. */
  readonly circuit?: "open" | "half_open";
}

/** An app whose upstream did not answer lately. */
export interface UnreachableUpstream extends Pick<ComponentReport, "circuit"> {
  readonly app: string;
}

export type HealthCheck = (waitUntil: WaitUntil) => Promise<HealthReport>;

/** How long an answer waits for components of which nothing is known yet, milliseconds. */
const WAIT_LIMIT = 1_500;

/**
 * @param components those that the instance does not work without
 * @param unreachable apps whose upstream could not be reached: reported, and nothing else is the matter with the instance
 * @param unserved apps that this version cannot serve
 */
export function createHealthCheck(
  components: readonly Component[],
  store: StoreProbe,
  unreachable: () => readonly UnreachableUpstream[],
  unserved: readonly string[] = [],
): HealthCheck {
  const areKnown = () => components.every((component) => component.status() !== "unknown");
  return async (waitUntil) => {
    refreshDue(components, { waitUntil });
    const [storeIsUp] = await Promise.all([store(waitUntil), pollUntil(areKnown, WAIT_LIMIT)]);
    // What is still unknown has not been initialized: it is not up.
    const missing = components.filter((component) => component.status() !== "up").map(({ name }) => name);
    const needed = [...new Set(missing), ...(storeIsUp ? [] : ["store"])];
    const missed: readonly ComponentReport[] = [
      ...needed.map((name) => ({ name, status: "down" as const })),
      ...unreachable().map(({ app, ...circuit }) => ({ name: `app:${app}`, status: "down" as const, ...circuit })),
      ...unserved.map((app) => ({ name: `app:${app}`, status: "not_served" as const })),
    ];
    const otherwise = unserved.length > 0 ? "degraded" : "up";
    return { status: needed.length === 0 ? otherwise : "down", ...(missed.length > 0 && { components: missed }) };
  };
}
