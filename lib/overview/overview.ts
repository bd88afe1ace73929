import { representAuditEvent } from "../audit/representation.ts";
import type { Dependencies } from "../dependencies.ts";
import type { HealthReport } from "../health/health.ts";
import type { Overview } from "../management/schemas/overview.ts";
import type { AuditEvent, AuditOutcome } from "../stores/audit-log.ts";
import { readLastHour } from "./last-hour.ts";
import { readSteps } from "./steps.ts";

/** Sessions that are counted one by one. */
const SESSIONS = 100;
const REFUSALS = 5;

/** Who looks: a person, at one organization. */
export interface OverviewReader {
  readonly organizationId: string;
  readonly userId: string;
}

/** What the first page of the Console tells. */
export async function readOverview(
  dependencies: Pick<Dependencies, "stores" | "clock">,
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
  { stores }: Pick<Dependencies, "stores">,
  organizationId: string,
): Promise<readonly AuditEvent[]> {
  const outcomes: readonly AuditOutcome[] = ["refused", "denied"];
  const pages = await Promise.all(
    outcomes.map((outcome) => stores.auditLog.query({ organizationId, outcome }, { limit: REFUSALS })),
  );
  const newestFirst = pages.flatMap(({ items }) => items).sort((one, other) => (one.id < other.id ? 1 : -1));
  return newestFirst.slice(0, REFUSALS);
}
