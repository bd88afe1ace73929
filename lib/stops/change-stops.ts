import { auditEvent } from "../audit/event.ts";
import { readFields, textField } from "../kernel/fields.ts";
import { ulid } from "../kernel/ids.ts";
import { ProblemError } from "../kernel/problem.ts";
import type { Random } from "../kernel/random.ts";
import { pause } from "../kernel/timers.ts";
import type { AuditEventType } from "../stores/audit-log.ts";
import type { IdentityKey } from "../stores/identities.ts";
import { keyOfStop } from "../stores/stop-subjects.ts";
import type { Stop, StopTarget } from "../stores/stops.ts";
import { REASON, readStop, type StopActor, type StopPorts, scopeOf } from "./requested-stop.ts";
import { checkRoom } from "./room.ts";
import { OF_TOKENS } from "./targets.ts";

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

/** What may be running that long after the last call was accepted, milliseconds. */
const RUNNING = 5_000;
const DAY = 86_400_000;
/**
 * How long an end holds at least, milliseconds: the configuration may have allowed longer lives when what it ended began. People and
 * agents have chains that are renewed, API clients have none.
 */
const LEAST_LIFE = { renewed: 400 * DAY, unrenewed: 100 * DAY };
/** Between reading and replacing somebody else may have been there so often. */
const ATTEMPTS = 20;
/** Before another attempt, milliseconds at most; a random part of it, so that of several one gets through. */
const LONGEST_PAUSE = 100;

/** Everything that is stopped, newest first: of an organization's, what is its own. */
export async function listStops(
  ports: Pick<StopPorts, "stores">,
  actor: Pick<StopActor, "organizationId" | "isOperator">,
): Promise<readonly Stop[]> {
  const { stops } = await ports.stores.stops.readStops();
  const scope = await scopeOf(actor, ports);
  return stops.filter(({ organizationId }) => scope === undefined || organizationId === scope).toReversed();
}

/**
 * Suspends something, or ends all its tokens and sessions, and resolves when that is kept. The same again changes the reason and the
 * time, and tells those who could not be told before.
 *
 * @param input `{kind, id, issuer?, state, reason}`
 * @throws ProblemError `invalid_body`, `invalid_field`, `forbidden`, `conflict`
 */
export async function placeStop(ports: StopPorts, actor: StopActor, input: unknown): Promise<StopChange> {
  const scope = await scopeOf(actor, ports);
  const { target, state, reason } = await readStop(input, scope, actor, ports);
  const accounts = await accountsOf(target, ports);
  return change(ports, actor, "stop.placed", reason, (stops, at) => {
    const stop: Stop = {
      stopId: `stop_${ulid(at, ports.random)}`,
      target,
      ...(accounts.length > 0 && { accounts }),
      ...(scope !== undefined && { organizationId: scope }),
      state,
      at,
      ...(state === "ended" && { until: at + longestLife(target, ports) }),
      reason,
      by: actor.id,
    };
    const former = stops.find((one) => isSame(one, stop));
    if (former?.state === "suspended" && state === "ended") {
      throw new ProblemError(
        "conflict",
        "It is suspended, which is more. Resume it, and nothing of before lives again.",
      );
    }
    return { stop, stops: [...stops.filter((one) => one !== former && !isWithin(one, stop)), stop] };
  });
}

/**
 * Takes a suspension back. Tokens and sessions of before stay over, so an end takes the place of it where there are
 * any.
 *
 * @throws ProblemError `not_found`, also for another organization's, `invalid_body`, `invalid_field`, `conflict`
 */
export async function liftStop(
  ports: StopPorts,
  actor: StopActor,
  stopId: string,
  input: unknown,
): Promise<StopChange> {
  const fields = readFields(input, ["reason"]);
  const reason = textField(fields, "reason", REASON) ?? "";
  fields.finish();
  const scope = await scopeOf(actor, ports);
  return change(ports, actor, "stop.lifted", reason, (stops, at) => {
    const stop = stops.find((one) => one.stopId === stopId);
    const isOwn = stop !== undefined && (scope === undefined || stop.organizationId === scope);
    if (stop === undefined || !isOwn || stop.state === "ended") {
      throw new ProblemError("not_found", "There is no such suspension. An end cannot be taken back.");
    }
    const others = stops.filter((one) => one !== stop);
    if (!OF_TOKENS.includes(stop.target.kind)) return { lifted: stop, stops: others };
    // Its reason stays: a longer one would need room, and to resume must always be possible.
    const ended: Stop = { ...stop, state: "ended", at, until: at + longestLife(stop.target, ports), by: actor.id };
    return { lifted: stop, stop: ended, stops: [...others, ended] };
  });
}

/** Takes back all suspensions that are meant, as the one who runs the instance does. */
export async function liftStops(
  ports: StopPorts,
  operator: StopActor,
  reason: string,
  isMeant: (stop: Stop) => boolean,
): Promise<void> {
  const actor: StopActor = { ...operator, isOperator: true };
  for (const stop of await listStops(ports, actor))
    if (stop.state === "suspended" && isMeant(stop)) await liftStop(ports, actor, stop.stopId, { reason });
}

/** The suspension of a target by this actor. @throws ProblemError `not_found` */
export async function findSuspension(
  ports: Pick<StopPorts, "stores">,
  actor: StopActor,
  target: StopTarget,
): Promise<Stop> {
  const key = keyOfStop(target);
  const stops = await listStops(ports, actor);
  const found = stops.find((stop) => stop.state === "suspended" && keyOfStop(stop.target) === key);
  if (found === undefined) throw new ProblemError("not_found", `The ${target.kind} ${target.id} is not suspended.`);
  return found;
}

interface Next {
  /** What was changed or is new; absent: nothing is left of it. */
  readonly stop?: Stop;
  readonly lifted?: Stop;
  readonly stops: readonly Stop[];
}

async function change(
  ports: StopPorts,
  actor: StopActor,
  type: Extract<AuditEventType, "stop.placed" | "stop.lifted">,
  reason: string,
  next: (stops: readonly Stop[], at: number) => Next,
): Promise<StopChange> {
  const { stores, clock, instanceStops } = ports;
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const { revision, stops: all } = await stores.stops.readStops();
    const at = clock.now();
    const { stop, lifted, stops } = next(
      all.filter(({ until }) => until === undefined || until > at),
      at,
    );
    if (lifted === undefined && stop !== undefined) checkRoom(stops, stop);
    const record = { revision: revision + 1, stops };
    const about = lifted ?? stop;
    const result = await stores.stops.replaceStops(record, eventOf(ports, actor, type, about as Stop, reason));
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

function randomPart({ bytes }: Random): number {
  return (bytes(1)[0] ?? 0) / 256;
}

/** Milliseconds after which nothing that began before can be alive. */
function longestLife({ kind }: StopTarget, { configuration }: Pick<StopPorts, "configuration">): number {
  const { oidcProvider, session } = configuration().configuration;
  if (kind === "api_client" || kind === "key_pair")
    return Math.max(LEAST_LIFE.unrenewed, oidcProvider?.apiClients.accessTokenLifetime ?? 0);
  return Math.max(LEAST_LIFE.renewed, oidcProvider?.grantLifetime ?? 0, session.maxTimeout);
}

/** The accounts of a person of the directory, by which other servers and agents know them. */
async function accountsOf(
  { kind, id, issuer }: StopTarget,
  { stores }: Pick<StopPorts, "stores">,
): Promise<readonly IdentityKey[]> {
  if (kind !== "person" || issuer !== undefined) return [];
  const linked = await stores.identities.listIdentities(id);
  return linked.map(({ issuer, subject }) => ({ issuer, subject }));
}

/** Whether all that the one ended is ended by the other too, which is its organization's. */
function isWithin(one: Stop, { target }: Stop): boolean {
  return one.state === "ended" && target.kind === "organization" && one.organizationId === target.id;
}

function eventOf(ports: StopPorts, actor: StopActor, type: AuditEventType, stop: Stop, reason: string) {
  const { stopId, target, state } = stop;
  const { kind, id, issuer } = target;
  return auditEvent(ports, {
    type,
    outcome: "success",
    organizationId: actor.organizationId,
    actor: actor.id,
    ...(actor.requestId !== undefined && { requestId: actor.requestId }),
    reason,
    details: { stopId, kind, id, ...(issuer !== undefined && { issuer }), state },
  });
}

function isSame(one: Stop, other: Stop): boolean {
  return one.organizationId === other.organizationId && keyOfStop(one.target) === keyOfStop(other.target);
}
