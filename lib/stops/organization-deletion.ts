import type { Administrator } from "../api-clients/client-event.ts";
import { ulid } from "../kernel/ids.ts";
import type { AuditEvent } from "../stores/audit-log.ts";
import type { Stop } from "../stores/stops.ts";
import { longestLife, type NextStops, replaceStops, type StopChange } from "./replace-stops.ts";
import type { StopPorts } from "./requested-stop.ts";

/** Those whose data is still being removed. */
export async function deletionsUnderWay({ stores }: Pick<StopPorts, "stores">): Promise<readonly Stop[]> {
  const { stops } = await stores.stops.readStops();
  return stops.filter(({ deletion }) => deletion === "under_way");
}

/**
 * Stops an organization for good, with everything of it. Its own stops go: this one is more.
 *
 * @param event becomes durable together with it
 * @returns undefined where it is being deleted, or was, already: then nothing is written
 * @throws ProblemError `conflict`: there is no room for it
 */
export function beginDeletion(
  ports: StopPorts,
  actor: Administrator,
  event: AuditEvent,
): Promise<StopChange | undefined> {
  const { organizationId } = actor;
  return replaceStops(ports, actor, { event }, (stops, at): NextStops | undefined => {
    if (deletionIn(stops, organizationId) !== undefined) return undefined;
    const stop: Stop = {
      stopId: `stop_${ulid(at, ports.random)}`,
      ...{ target: { kind: "organization", id: organizationId }, organizationId },
      ...{ state: "suspended", deletion: "under_way", at },
      ...{ reason: "The organization was deleted.", by: actor.id },
    };
    return { stop, stops: [...stops.filter((one) => one.organizationId !== organizationId), stop] };
  });
}

/**
 * Everything was removed. The stop becomes an end, which is forgotten once nothing of before can be alive. Where the configuration
 * names the organization it stays, as new sign-ins could otherwise begin something of it.
 *
 * @param event becomes durable together with it
 */
export async function completeDeletion(
  ports: StopPorts,
  actor: Administrator,
  { event, isNamed }: { readonly event: AuditEvent; readonly isNamed: boolean },
): Promise<void> {
  await replaceStops(ports, actor, { event }, (stops, at): NextStops | undefined => {
    const former = deletionIn(stops, actor.organizationId);
    if (former?.deletion !== "under_way") return undefined;
    const ended = { state: "ended", at, until: at + longestLife(former.target, ports) } as const;
    const stop: Stop = { ...former, deletion: "done", ...(!isNamed && ended) };
    return { lifted: former, stop, stops: [...stops.filter((one) => one !== former), stop] };
  });
}

function deletionIn(stops: readonly Stop[], organizationId: string): Stop | undefined {
  return stops.find(({ deletion, target }) => deletion !== undefined && target.id === organizationId);
}
