import { auditEvent, byAdministrator } from "../audit/event.ts";
import { ProblemError } from "../kernel/problem.ts";
import type { Random } from "../kernel/random.ts";
import { pause } from "../kernel/timers.ts";
import type { AuditEvent, AuditEventType } from "../stores/audit-log.ts";
import type { Stop, StopTarget } from "../stores/stops.ts";
import type { StopActor, StopPorts } from "./requested-stop.ts";
import { checkRoom } from "./room.ts";

/** What became of a change. Times in milliseconds since the epoch. */
export interface StopChange {
  /** Absent: nothing is left of it. */
  readonly stop?: Stop;
  /** Whether every part of the store knows it: then tokens of this region end with their next request. */
  readonly isEverywhere: boolean;
  /** By then no instance accepts a call, and soon after what had begun has ended. */
  readonly acceptedUntil: number;
  readonly runningUntil: number;
}

/** What is stopped after a change. */
export interface NextStops {
  /** What was changed or is new; absent: nothing is left of it. */
  readonly stop?: Stop;
  /** What was taken back. */
  readonly lifted?: Stop;
  readonly stops: readonly Stop[];
}

/** What is recorded of a change. */
export interface RecordedChange {
  readonly type: Extract<AuditEventType, "stop.placed" | "stop.lifted">;
  readonly reason: string;
  /** Beside what the stop itself tells. */
  readonly details?: Readonly<Record<string, string>>;
}

/** What may be running that long after the last call was accepted, milliseconds. */
const RUNNING = 5_000;
/** Between reading and replacing somebody else may have been there so often. */
const ATTEMPTS = 20;
/** Before another attempt, milliseconds at most; a random part of it, so that of several one gets through. */
const LONGEST_PAUSE = 100;

const DAY = 86_400_000;
/**
 * How long an end holds at least, milliseconds: the configuration may have allowed longer lives when what it ended began. People and
 * agents have chains that are renewed, API clients have none.
 */
export const LEAST_LIFE = { renewed: 400 * DAY, unrenewed: 100 * DAY };

/**
 * Puts what is stopped in place of what was, by compare-and-set, with its record.
 *
 * @param next what it becomes, of what has not been forgotten by now. Undefined: it stays, and nothing is written or recorded
 * @returns undefined where `next` returned that
 * @throws ProblemError `conflict`: there is no room, or others are faster again and again; and whatever `next` throws
 */
export async function replaceStops(
  ports: StopPorts,
  actor: StopActor,
  recorded: RecordedChange | { readonly event: AuditEvent },
  next: (stops: readonly Stop[], at: number) => NextStops | undefined,
): Promise<StopChange | undefined> {
  const { stores, clock, instanceStops } = ports;
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const { revision, stops: all } = await stores.stops.readStops();
    const at = clock.now();
    const known = all.filter(({ until }) => until === undefined || until > at);
    const changed = next(known, at);
    if (changed === undefined) return undefined;
    const { stop, lifted, stops } = changed;
    if (lifted === undefined && stop !== undefined) checkRoom(stops, stop);
    const record = { revision: revision + 1, stops };
    const about = lifted ?? stop;
    const event = "event" in recorded ? recorded.event : eventOf(ports, actor, recorded, about as Stop);
    const result = await stores.stops.replaceStops(record, event);
    if (result === "stale") {
      await pause(randomPart(ports.random) * LONGEST_PAUSE);
      continue;
    }
    await instanceStops.use(record);
    const acceptedUntil = clock.now() + instanceStops.settlesWithin;
    return {
      ...(stop !== undefined && { stop }),
      isEverywhere: result === "done",
      acceptedUntil,
      runningUntil: acceptedUntil + RUNNING,
    };
  }
  throw new ProblemError("conflict", "Others change what is stopped at the same time. Try again.");
}

/**
 * Milliseconds after which nothing that began before can be alive.
 *
 * @param least of what people and agents began
 */
export function longestLife(
  { kind }: StopTarget,
  { configuration }: Pick<StopPorts, "configuration">,
  least = LEAST_LIFE.renewed,
): number {
  const { oidcProvider, session } = configuration().configuration;
  if (kind === "api_client" || kind === "key_pair")
    return Math.max(LEAST_LIFE.unrenewed, oidcProvider?.apiClients.accessTokenLifetime ?? 0);
  return Math.max(least, oidcProvider?.grantLifetime ?? 0, session.maxTimeout);
}

function randomPart({ bytes }: Random): number {
  return (bytes(1)[0] ?? 0) / 256;
}

function eventOf(ports: StopPorts, actor: StopActor, { type, reason, details }: RecordedChange, stop: Stop) {
  const { stopId, target, state } = stop;
  const { kind, id, issuer } = target;
  return auditEvent(ports, {
    type,
    outcome: "success",
    ...(actor.organizationId !== "" && { organizationId: actor.organizationId }),
    ...byAdministrator(actor),
    reason,
    details: { stopId, kind, id, ...(issuer !== undefined && { issuer }), state, ...details },
  });
}
