import { relyingPartyOf } from "../directory/passkeys/ceremony.ts";
import { createOrganizationOf } from "../gateway/organization.ts";
import { mcpApps } from "../gateway/tool-index.ts";
import type { HealthReport } from "../health/health.ts";
import type { AuditEvent, AuditEventType, AuditOutcome, AuditTally } from "../stores/audit-log.ts";
import type { ManagementPorts } from "./ports.ts";
import { representAuditEvent } from "./representations/audit-events.ts";
import type { LastHour, Overview, Steps } from "./schemas/overview.ts";

/** Sessions that are counted one by one. */
const SESSIONS = 100;
const REFUSALS = 5;

/** Who looks: a person, at one organization. */
interface OverviewReader {
  readonly organizationId: string;
  readonly userId: string;
}

/** What the first page of the Console tells. */
export async function readOverview(
  dependencies: Pick<ManagementPorts, "stores" | "clock" | "configuration">,
  reader: OverviewReader,
  health: HealthReport,
): Promise<Overview> {
  const { organizationId } = reader;
  const { stores, clock } = dependencies;
  const [sessions, lastHour, latestRefusals, steps] = await Promise.all([
    stores.mcpSessions.list(organizationId, clock.now(), { limit: SESSIONS }),
    readLastHour(dependencies, organizationId),
    readLatestRefusals(dependencies, organizationId),
    readSteps(dependencies, reader),
  ]);
  return {
    health: {
      status: health.status,
      components: (health.components ?? []).map(({ name, status }) => ({ name, status })),
    },
    sessions: { count: sessions.items.length, more: sessions.nextCursor !== undefined },
    lastHour,
    latestRefusals: latestRefusals.map(representAuditEvent),
    steps,
  };
}

async function readLatestRefusals(
  { stores }: Pick<ManagementPorts, "stores">,
  organizationId: string,
): Promise<readonly AuditEvent[]> {
  const outcomes: readonly AuditOutcome[] = ["refused", "denied"];
  const pages = await Promise.all(
    outcomes.map((outcome) => stores.auditLog.query({ organizationId, outcome }, { limit: REFUSALS })),
  );
  const newestFirst = pages.flatMap(({ items }) => items).sort((one, other) => (one.id < other.id ? 1 : -1));
  return newestFirst.slice(0, REFUSALS);
}

/** Milliseconds; the last one is not over yet. */
const INTERVAL = 300_000;
const INTERVALS = 12;
const TYPES: readonly AuditEventType[] = ["tool.invoked", "token.issued", "token.exchanged", "token.refused"];

/** Tool calls and token requests of an organization in the last hour. Calls that are open count as neither. */
async function readLastHour(
  { stores, clock }: Pick<ManagementPorts, "stores" | "clock">,
  organizationId: string,
): Promise<LastHour> {
  const to = (Math.floor(clock.now() / INTERVAL) + 1) * INTERVAL;
  const from = to - INTERVALS * INTERVAL;
  const tally = await stores.auditLog.tally({ organizationId, types: TYPES, from, to, interval: INTERVAL });
  const starts = Array.from({ length: INTERVALS }, (_, index) => from + index * INTERVAL);
  return {
    from: new Date(from).toISOString(),
    interval: INTERVAL / 1000,
    isComplete: tally.complete,
    toolCalls: starts.map((start) => ({
      start: new Date(start).toISOString(),
      succeeded: counted(tally, start, ["tool.invoked"], (outcome) => outcome === "success"),
      failed: counted(tally, start, ["tool.invoked"], (outcome) => outcome !== "success" && outcome !== "unknown"),
    })),
    tokenRequests: starts.map((start) => ({
      start: new Date(start).toISOString(),
      issued: counted(tally, start, ["token.issued", "token.exchanged"], (outcome) => outcome === "success"),
      refused: counted(tally, start, TYPES.slice(1), (outcome) => outcome !== "success"),
    })),
  };
}

function counted(
  { counts }: AuditTally,
  start: number,
  types: readonly AuditEventType[],
  matches: (outcome: AuditOutcome) => boolean,
): number {
  return counts
    .filter((count) => count.start === start && types.includes(count.type) && matches(count.outcome))
    .reduce((sum, { count }) => sum + count, 0);
}

/** Clients that are looked at for a key pair: whoever has more is no beginner. */
const CLIENTS = 20;

/** What has been done already on the way to the first tool call, of the steps that there are at this instance. */
async function readSteps(
  dependencies: Pick<ManagementPorts, "stores" | "configuration">,
  { organizationId, userId }: OverviewReader,
): Promise<Steps> {
  const { apiClients, passkeys } = dependencies.stores;
  const { configuration } = dependencies.configuration();
  const happened = (type: AuditEventType) => hasHappened(dependencies, organizationId, type);
  const [own, hasApp, clients, token, toolCall] = await Promise.all([
    passkeys.listPasskeys(userId),
    hasOwnApp(dependencies, organizationId),
    apiClients.list(organizationId, { limit: CLIENTS }),
    happened("token.issued"),
    happened("tool.invoked"),
  ]);
  const hasKeyPair = clients.nextCursor !== undefined || clients.items.some(({ keyPairs }) => keyPairs.length > 0);
  return {
    ...(relyingPartyOf(configuration) && { passkey: own.length > 0 }),
    ...(configuration.mcpProvider && { app: hasApp, toolCall }),
    ...(configuration.oidcProvider?.apiClients.enabled && {
      apiClient: clients.items.length > 0,
      keyPair: hasKeyPair,
      token,
    }),
  };
}

/** Apps that name no organization are the first one's. */
async function hasOwnApp(
  dependencies: Pick<ManagementPorts, "stores" | "configuration">,
  organizationId: string,
): Promise<boolean> {
  const organizationOf = createOrganizationOf(dependencies);
  const apps = mcpApps(dependencies.configuration().configuration.apps);
  const owners = await Promise.all(apps.map(organizationOf));
  return owners.includes(organizationId);
}

/** Where so much has been recorded that the search ends before the records do, the first steps are long made. */
async function hasHappened(
  { stores }: Pick<ManagementPorts, "stores">,
  organizationId: string,
  type: AuditEventType,
): Promise<boolean> {
  const { items, nextCursor } = await stores.auditLog.query({ organizationId, type }, { limit: 1 });
  return items.length > 0 || nextCursor !== undefined;
}
