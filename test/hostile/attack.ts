import type { Owner, Signer } from "../behaviour/fixture.ts";
import type { RegionsOptions, RunningRegion, RuntimeUnderTest } from "../support/runtime.ts";

/** One way in which a hostile client, tenant or server tries to do harm. */
export interface Attack {
  /** For `-only`: words with hyphens. */
  readonly name: string;
  /** Its number in docs/security-checklist.md. */
  readonly checklist: number;
  /** Where it is played: Node, and the others where they differ. */
  readonly runtimes: readonly RuntimeUnderTest["name"][];
  /** Starts what it needs on the stage, does harm, and says what came of it. */
  play(stage: Stage): Promise<readonly Figure[]>;
}

/** Something that was measured, kept when it is not above its limit. */
export interface Figure {
  /** What it says: "p50 of the victim, 16 connections with unknown arguments". */
  readonly name: string;
  readonly value: number;
  /** Undefined for a figure that only explains another, such as a baseline. */
  readonly limit?: number;
  readonly unit: "" | "ms" | "x" | "MiB" | "KB/s" | "s";
}

/** Where an attack is played. What is started here is stopped when the attack is over. */
export interface Stage {
  readonly runtime: RuntimeUnderTest["name"];
  /** How long one phase of an attack lasts, seconds: a few in `.ci/run`, longer by hand. */
  readonly seconds: number;
  /** The product with empty stores. The region `uk` is there only with `alone: false`. */
  start(options: RegionsOptions): Promise<RunningRegion>;
  /** Runs when the attack is over, last one first. */
  atTheEnd(stop: () => unknown): void;
}

/** An owner of an organization, who may have come with the first one. */
export interface Tenant extends Owner {
  readonly organizationId: string;
}

/** An API client with a key, and whose it is. */
export interface TenantClient extends Signer {
  readonly tenant: Tenant;
}
