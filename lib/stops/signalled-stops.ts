import { ulid } from "../kernel/ids.ts";
import { ProblemError } from "../kernel/problem.ts";
import { type IdentityKey, personId } from "../stores/identities.ts";
import { groupOfPerson, isOfGroup, keyOfStop } from "../stores/stop-subjects.ts";
import { BY_SIGNAL, type Stop, type StopTarget } from "../stores/stops.ts";
import { LEAST_LIFE, longestLife, type NextStops, replaceStops } from "./replace-stops.ts";
import type { StopPorts } from "./requested-stop.ts";
import { checkRoom } from "./room.ts";

/**
 * What an event of an identity provider does to a person's account there (D229).
 * - `end`: its sessions and chains that began before the event are over.
 * - `suspend`: it is stopped until the provider enables it, or an owner resumes it.
 * - `lift`: what the same provider suspended is over, and revives nothing.
 */
export type SignalledChange = "end" | "suspend" | "lift";

/** What became of it. `none`: it was so already, somebody else decided, or a newer event came before. */
export type SignalEffect = "ended" | "suspended" | "lifted" | "none";

export interface SignalledPerson {
  readonly account: IdentityKey;
  /** Name of the connector. */
  readonly connector: string;
  readonly change: SignalledChange;
  /** When it happened there, milliseconds; not later than now. */
  readonly at: number;
  readonly reason: string;
  /** Of the event, for the records. */
  readonly details: Readonly<Record<string, string>>;
  readonly requestId?: string;
}

/**
 * Applies an event to what is stopped. The same again changes nothing. What owners suspended stays theirs, and knows whether the
 * account is disabled as well; of two events about that, the later one counts, in whichever order they come.
 *
 * @throws ProblemError `conflict`: there is no room for it
 */
export async function applySignal(ports: StopPorts, signalled: SignalledPerson): Promise<SignalEffect> {
  const { change, connector, reason, details, requestId } = signalled;
  const first = await ports.stores.directory.firstOrganization();
  const actor = {
    id: signalActor(connector),
    organizationId: first?.organizationId ?? "",
    ...(requestId !== undefined && { requestId }),
  };
  const type = change === "lift" ? ("stop.lifted" as const) : ("stop.placed" as const);
  const made = await replaceStops(ports, actor, { type, reason, details }, (stops, now) =>
    NEXT[change]({ ports, signalled, stops, now, former: formerOf(stops, signalled) }),
  );
  return made === undefined ? "none" : EFFECTS[change];
}

/** How records and stops name a transmitter. */
export function signalActor(connector: string): string {
  return BY_SIGNAL + connector;
}

const EFFECTS = { end: "ended", suspend: "suspended", lift: "lifted" } as const;

interface Step {
  readonly ports: StopPorts;
  readonly signalled: SignalledPerson;
  readonly stops: readonly Stop[];
  readonly now: number;
  /** Of the instance, about the same account. */
  readonly former: Stop | undefined;
}

const NEXT: Readonly<Record<SignalledChange, (step: Step) => NextStops | undefined>> = { end, suspend, lift };

function end(step: Step): NextStops | undefined {
  const { signalled, stops, former } = step;
  const known = former ?? groupStop(stops, personId(signalled.account));
  if (known?.state === "suspended" || (known !== undefined && known.at >= signalled.at)) return undefined;
  return placed(step, { state: "ended", at: signalled.at }, former?.accountAt);
}

function suspend(step: Step): NextStops | undefined {
  const { signalled, former } = step;
  if (isOvertaken(step) || signalled.at === former?.accountAt) return undefined;
  if (former?.state !== "suspended") return placed(step, { state: "suspended", at: step.now }, signalled.at);
  // It stays as it is, and says what no older event takes back.
  const isOurs = former.by === signalActor(signalled.connector);
  const disabledBy = isOurs ? {} : { disabledBy: signalActor(signalled.connector) };
  return inPlace(step, former, { ...former, ...disabledBy, accountAt: signalled.at });
}

function lift(step: Step): NextStops | undefined {
  const { ports, signalled, now, former } = step;
  if (former?.state !== "suspended" || isOvertaken(step)) return undefined;
  const actor = signalActor(signalled.connector);
  if (former.disabledBy === actor) {
    const { disabledBy: _, ...others } = former;
    return inPlace(step, former, { ...others, accountAt: signalled.at });
  }
  if (former.by !== actor) return undefined;
  const until = now + longestLife(former.target, ports);
  const ended: Stop = { ...former, state: "ended", at: now, until, accountAt: signalled.at };
  return { ...inPlace(step, former, ended), lifted: former };
}

function inPlace({ stops }: Step, former: Stop, stop: Stop): NextStops {
  return { stop, stops: [...stops.filter((one) => one !== former), stop] };
}

/** A newer event said already whether the account is enabled. */
function isOvertaken({ signalled, former }: Step): boolean {
  return former?.accountAt !== undefined && signalled.at < former.accountAt;
}

function placed(
  { ports, signalled, stops, now, former }: Step,
  { state, at }: Pick<Stop, "state" | "at">,
  accountAt: number | undefined,
): NextStops {
  const { connector, account, reason } = signalled;
  const target = targetOf(account);
  const stop: Stop = {
    stopId: `stop_${ulid(now, ports.random)}`,
    ...{ target, state, at },
    // Identity providers end sessions every day, so an end takes room no longer than anything of before can be alive.
    ...(state === "ended" && {
      until: Math.max(now + longestLife(target, ports, LEAST_LIFE.unrenewed), former?.until ?? 0),
    }),
    ...{ reason, by: signalActor(connector) },
    ...(accountAt !== undefined && { accountAt }),
  };
  const others = stops.filter((one) => one !== former);
  return { stop, stops: fits([...others, stop], stop) ? [...others, stop] : [...groupedEnds(others), stop] };
}

function fits(stops: readonly Stop[], stop: Stop): boolean {
  try {
    checkRoom(stops, stop);
    return true;
  } catch (error) {
    if (error instanceof ProblemError) return false;
    throw error;
  }
}

/**
 * Puts the older half of the ends that events brought about together, by groups of people: what was ended stays so, and some others
 * who began earlier than that sign in anew. There are 64 groups.
 */
function groupedEnds(stops: readonly Stop[]): readonly Stop[] {
  const single = stops
    .filter((stop) => isSignalledEnd(stop) && !isOfGroup(stop))
    .sort((one, other) => one.at - other.at);
  const older = new Set(single.slice(0, Math.ceil(single.length / 2)));
  return [...older].reduce(
    withGroupOf,
    stops.filter((stop) => !older.has(stop)),
  );
}

function isSignalledEnd({ state, by, target }: Stop): boolean {
  return state === "ended" && by.startsWith(BY_SIGNAL) && target.kind === "person";
}

function withGroupOf(stops: readonly Stop[], stop: Stop): readonly Stop[] {
  const { target, stopId, at, until = 0, by } = stop;
  const person = target.issuer === undefined ? target.id : personId({ issuer: target.issuer, subject: target.id });
  const group = groupOfPerson(person);
  const former = groupStop(stops, person);
  // One that an owner suspended is theirs to resume.
  if (group === undefined || former?.state === "suspended") return [...stops, stop];
  const all: Stop = {
    ...{ stopId: former?.stopId ?? stopId, target: { kind: "person", id: group }, state: "ended" },
    ...{ at: Math.max(at, former?.at ?? 0), until: Math.max(until, former?.until ?? 0) },
    ...{ reason: "Ends of many sessions at identity providers, put together.", by: former?.by ?? by },
  };
  return [...stops.filter((one) => one !== former), all];
}

/** What stands for the ends of the person's group. */
function groupStop(stops: readonly Stop[], person: string): Stop | undefined {
  const group = groupOfPerson(person);
  return stops.find((stop) => isOfGroup(stop) && stop.organizationId === undefined && stop.target.id === group);
}

/** An account has at most one stop of the instance, whoever placed it. */
function formerOf(stops: readonly Stop[], { account }: SignalledPerson): Stop | undefined {
  const key = keyOfStop(targetOf(account));
  return stops.find((one) => one.organizationId === undefined && keyOfStop(one.target) === key);
}

function targetOf({ issuer, subject }: IdentityKey): StopTarget {
  return { kind: "person", id: subject, issuer };
}
