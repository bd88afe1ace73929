import { relyingPartyOf } from "../directory/passkeys/ceremony.ts";
import { createOrganizationOf } from "../gateway/organization.ts";
import { mcpApps } from "../gateway/tool-index.ts";
import type { HealthReport } from "../health/health.ts";
import type { AuditEvent, AuditEventType, AuditOutcome } from "../stores/audit-log.ts";
import { lastHourOf, readPeriod } from "./overview-period.ts";
import type { ManagementPorts } from "./ports.ts";
import { representAuditEvent } from "./representations/audit-events.ts";
import type { Overview, OverviewRange, Steps } from "./schemas/overview.ts";

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
  range: OverviewRange,
): Promise<Overview> {
  const { organizationId } = reader;
  const { stores, clock } = dependencies;
  const [sessions, period, latestRefusals, steps] = await Promise.all([
    stores.mcpSessions.list(organizationId, clock.now(), { limit: SESSIONS }),
    readPeriod(dependencies, organizationId, range),
    readLatestRefusals(dependencies, organizationId),
    readSteps(dependencies, reader),
  ]);
  return {
    health: {
      status: health.status,
      components: (health.components ?? []).map(({ name, status }) => ({ name, status })),
    },
    sessions: { count: sessions.items.length, more: sessions.nextCursor !== undefined },
    period,
    ...(range === "1h" && { lastHour: lastHourOf(period) }),
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
