import type { Administrator } from "../api-clients/client-event.ts";
import { type AuditEventPorts, auditEvent } from "../audit/event.ts";
import type { ConfigurationSnapshot } from "../config/configuration.ts";
import { readFields, type TextRule, textField } from "../kernel/fields.ts";
import { ulid } from "../kernel/ids.ts";
import { ProblemError } from "../kernel/problem.ts";
import type { ApiClients } from "../stores/api-clients.ts";
import type { AuditEventType } from "../stores/audit-log.ts";
import type { Directory } from "../stores/directory.ts";
import {
  keyOfStop,
  STOP_KINDS,
  STOPS_OF_ALL,
  STOPS_OF_ONE,
  STOPS_OF_OTHERS,
  type Stop,
  type Stops,
  type StopsBound,
  type StopTarget,
} from "../stores/stops.ts";
import type { InstanceStops } from "./instance-stops.ts";
import { OF_ISSUERS, OF_TOKENS, type StoppableApp, unknownTarget } from "./targets.ts";

export interface StopPorts extends AuditEventPorts {
  readonly configuration: () => ConfigurationSnapshot;
  readonly stores: {
    readonly stops: Stops;
    readonly directory: Pick<Directory, "firstOrganization" | "getOrganization">;
    readonly apiClients: Pick<ApiClients, "getForVerification">;
  };
  readonly instanceStops: Pick<InstanceStops, "use" | "settlesWithin">;
}

/** Who stops: an owner of an organization, or the operator of this machine, whose stops hold for the whole instance. */
export interface StopActor extends Administrator {
  readonly isOperator?: true;
}

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
/** No token of this region, and no session, lives so long. Milliseconds. */
const LONGEST_LIFE = 400 * 86_400_000;
/** Between reading and replacing somebody else may have been there so often. */
const ATTEMPTS = 10;

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
  return change(ports, actor, "stop.placed", reason, (stops, at) => {
    const stop: Stop = {
      stopId: `stop_${ulid(at, ports.random)}`,
      target,
      ...(scope !== undefined && { organizationId: scope }),
      state,
      at,
      ...(state === "ended" && { until: at + LONGEST_LIFE }),
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
    const ended: Stop = { ...stop, state: "ended", at, until: at + LONGEST_LIFE, by: actor.id };
    return { lifted: stop, stop: ended, stops: [...others, ended] };
  });
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
    if (result === "stale") continue;
    instanceStops.use(record);
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

/** One organization's stops leave room for those of others, and all of them for those of the operator. */
function checkRoom(stops: readonly Stop[], { organizationId }: Stop): void {
  const of = (whose: string, bound: StopsBound, counted: readonly Stop[]) => {
    if (counted.length <= bound.stops && bytesOf(counted) <= bound.bytes) return;
    const most = `${bound.stops} stops or ${bound.bytes / 1024} KiB of their texts`;
    const instead =
      "Resume what need not be stopped; or end all tokens of the organization, which takes the place of each.";
    throw new ProblemError("conflict", `${whose} at most ${most}. ${instead}`);
  };
  if (organizationId !== undefined) {
    of(
      "An organization has",
      STOPS_OF_ONE,
      stops.filter((one) => one.organizationId === organizationId),
    );
    of(
      "All organizations but the first have together",
      STOPS_OF_OTHERS,
      stops.filter((one) => one.organizationId !== undefined),
    );
  }
  of("The instance has", STOPS_OF_ALL, stops);
}

function bytesOf(stops: readonly Stop[]): number {
  return new TextEncoder().encode(JSON.stringify(stops)).byteLength;
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

/** The organization for which alone the actor's stops hold; undefined: for the whole instance, as an owner of its first may (D32). */
async function scopeOf(
  { organizationId, isOperator }: Pick<StopActor, "organizationId" | "isOperator">,
  { stores }: { readonly stores: { readonly directory: Pick<Directory, "firstOrganization"> } },
): Promise<string | undefined> {
  if (isOperator) return undefined;
  const first = await stores.directory.firstOrganization();
  return first?.organizationId === organizationId ? undefined : organizationId;
}

const REASON: TextRule = { min: 1, max: 200 };
const ID: TextRule = { min: 1, max: 512 };
const STATES: readonly string[] = ["suspended", "ended"];

async function readStop(
  input: unknown,
  scope: string | undefined,
  actor: StopActor,
  ports: StopPorts,
): Promise<Pick<Stop, "target" | "state" | "reason">> {
  const fields = readFields(input, ["kind", "id", "issuer", "state", "reason"]);
  const { kind: named, state, issuer: given } = fields.object;
  const kind = STOP_KINDS.find((one) => one === named);
  if (kind === undefined) fields.refuse("/kind", `must be one of ${STOP_KINDS.join(", ")}`);
  const id = textField(fields, "id", ID);
  const issuer = given === undefined ? undefined : textField(fields, "issuer", ID);
  if (issuer !== undefined && kind !== undefined && !OF_ISSUERS.includes(kind))
    fields.refuse("/issuer", `is accepted for ${OF_ISSUERS.join(" and ")} alone`);
  if (issuer !== undefined && !URL.canParse(issuer))
    fields.refuse("/issuer", "must be the URL of an authorization server");
  if (!STATES.includes(String(state))) fields.refuse("/state", `must be ${STATES.join(" or ")}`);
  else if (state === "ended" && kind !== undefined && !OF_TOKENS.includes(kind))
    fields.refuse("/state", `must be suspended for ${kind}: only ${OF_TOKENS.join(", ")} have tokens and sessions`);
  const reason = textField(fields, "reason", REASON);
  fields.finish();
  const target = { kind, id, ...(issuer !== undefined && ownIssuer(ports) !== issuer && { issuer }) } as StopTarget;
  const problem = await targetProblem(target, scope, ports);
  if (problem !== undefined) fields.refuse("/id", problem);
  fields.finish();
  refuseLockOut(target, state as Stop["state"], actor, scope);
  return { target, state: state as Stop["state"], reason: reason ?? "" };
}

function ownIssuer({ configuration }: Pick<StopPorts, "configuration">): string | undefined {
  return configuration().configuration.oidcProvider?.issuer;
}

/** What cannot be known, as people and agents of others, is believed. An organization's stop holds for nothing but its own anyway. */
async function targetProblem(
  target: StopTarget,
  scope: string | undefined,
  { stores, configuration }: StopPorts,
): Promise<string | undefined> {
  const { kind, id } = target;
  switch (kind) {
    case "organization":
      if (scope !== undefined) return id === scope ? undefined : "must be your organization";
      return (await stores.directory.getOrganization(id)) === undefined ? "is no organization" : undefined;
    case "api_client": {
      if (!id.startsWith("client_")) return "is no API client; agents are stopped as agent";
      const read = await stores.apiClients.getForVerification(id, { authoritative: true });
      const isKnown = read.record !== undefined && (scope === undefined || read.record.organizationId === scope);
      return isKnown ? undefined : "is no API client";
    }
    case "key_pair":
      return /^key_[\w-]+$/.test(id) ? undefined : "is no key pair: their ids begin with key_";
    default:
      return unknownTarget(target, appsOf(configuration, scope));
  }
}

function appsOf(configuration: StopPorts["configuration"], scope: string | undefined): readonly StoppableApp[] {
  const { apps } = configuration().configuration;
  return apps.filter((app) => app.type !== "oidc").filter((app) => scope === undefined || app.organization === scope);
}

/** Who is suspended cannot resume. */
function refuseLockOut(
  { kind, id }: StopTarget,
  state: Stop["state"],
  { id: actorId, organizationId, isOperator }: StopActor,
  scope: string | undefined,
): void {
  if (isOperator || state === "ended") return;
  const isOwnOrganization = kind === "organization" && id === organizationId;
  if (!isOwnOrganization && !(kind === "person" && id === actorId)) return;
  const who = isOwnOrganization ? "your own organization" : "yourself";
  const instead =
    scope === undefined
      ? "The command `countersign stop` can, on the machine of the store."
      : "An owner of the instance's first organization can.";
  throw new ProblemError("forbidden", `You cannot suspend ${who}, as you could not resume. ${instead}`);
}
