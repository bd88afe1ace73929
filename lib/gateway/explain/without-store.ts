import type { McpAppConfiguration } from "../../config/app-configuration.ts";
import type { Configuration } from "../../config/configuration.ts";
import type { Clock } from "../../kernel/clock.ts";
import type { Logger } from "../../logging/logger.ts";
import { NOTHING_STOPPED } from "../../stops/instance-stops.ts";
import type { ConnectionKey, ConnectionRecord } from "../../stores/connections.ts";
import type { RequestContext } from "../../telemetry/request-context.ts";
import type { DecidedApp, DecisionPorts } from "../decision/step.ts";
import type { Identity, Principal } from "../identity.ts";
import { membersByDefault, membershipsWithoutStore } from "../memberships.ts";

/** Whose apps are that name no organization. */
const FIRST = "the instance's first organization";

/** How policies' servers are asked, and what time it is. */
export interface ExplainPorts extends Pick<DecisionPorts, "pins"> {
  /** Of the configuration's apps, where they are made already. */
  readonly policies?: DecisionPorts["policies"];
  /** Absent: nothing is stopped. */
  readonly instanceStops?: DecisionPorts["instanceStops"];
  readonly fetch: typeof globalThis.fetch;
  readonly clock: Clock;
  /** The connections of people. Absent: the store is not looked at. */
  readonly connections?: {
    /** That of a person in the organization of an app. */
    readonly find: (
      app: Pick<McpAppConfiguration, "organization">,
      key: Omit<ConnectionKey, "organizationId">,
    ) => Promise<ConnectionRecord | undefined>;
  };
}

type PortsWithoutStore = Pick<DecisionPorts, "organizationOf" | "instanceStops" | "memberships" | "clock">;

/** What a decision takes from the store, which an explanation may not look at: then nothing is stopped. Everybody belongs. */
export function portsWithoutStore(
  configuration: Configuration,
  { clock, instanceStops = NOTHING_STOPPED }: Pick<ExplainPorts, "clock" | "instanceStops">,
): PortsWithoutStore {
  return {
    organizationOf: async ({ organization }) => organization ?? FIRST,
    instanceStops,
    memberships: membershipsWithoutStore(configuration),
    clock,
  };
}

/** Which organization an agent of this instance belongs to is in the store (D32): it is taken to be the app's. */
export function ofOrganization(
  identity: Identity,
  { organization }: Pick<DecidedApp, "organization">,
  { oidcProvider }: Pick<Configuration, "oidcProvider">,
): Identity {
  const isOwn = identity.issuer === oidcProvider?.issuer;
  return isOwn && organization !== undefined ? { ...identity, organizationId: organization } : identity;
}

/** Who belongs to which organization is told as a condition; empty: it does not matter. */
export function membershipCondition(
  app: DecidedApp,
  identity: Principal | undefined,
  configuration: Configuration,
): string {
  if (identity?.user === undefined || app.members === "any") return "";
  const isRequired = (app.members ?? membersByDefault(configuration)) === "required";
  return `, if the person belongs to ${organizationOf(app, identity)}${isRequired ? "" : ", or it is the only one"}`;
}

function organizationOf({ isShared, organization = FIRST }: DecidedApp, { agent }: Principal): string {
  if (!isShared) return organization;
  return agent === undefined ? "an organization of the instance" : "the agent's organization";
}

/** What would be told to the log is what is explained. */
const SILENT: Logger = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
  with: () => SILENT,
};

/** A request of nobody in particular, from nowhere. */
export const NO_REQUEST: RequestContext = {
  requestId: "",
  remoteAddress: undefined,
  logger: SILENT,
  authenticated: () => undefined,
  waitUntil: () => undefined,
};
