import { readFields, textField } from "../kernel/fields.ts";
import { ulid } from "../kernel/ids.ts";
import { ProblemError } from "../kernel/problem.ts";
import type { IdentityKey } from "../stores/identities.ts";
import { keyOfStop } from "../stores/stop-subjects.ts";
import { BY_SIGNAL, type Stop, type StopTarget } from "../stores/stops.ts";
import { longestLife, type NextStops, type RecordedChange, replaceStops, type StopChange } from "./replace-stops.ts";
import { REASON, readStop, type StopActor, type StopPorts, scopeOf } from "./requested-stop.ts";
import { OF_TOKENS } from "./targets.ts";

/** Everything that is stopped, newest first: of an organization's, what is its own. Not that some were deleted, which nobody changes. */
export async function listStops(
  ports: Pick<StopPorts, "stores">,
  actor: Pick<StopActor, "organizationId" | "isOperator">,
): Promise<readonly Stop[]> {
  const { stops } = await ports.stores.stops.readStops();
  const scope = await scopeOf(actor, ports);
  const isShown = ({ organizationId, deletion }: Stop) =>
    deletion === undefined && (scope === undefined || organizationId === scope);
  return stops.filter(isShown).toReversed();
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
    const disabledBy = former && disabledAtProvider(former);
    if (former?.state === "suspended" && state === "ended") {
      throw new ProblemError(
        "conflict",
        "It is suspended, which is more. Resume it, and nothing of before lives again.",
      );
    }
    const known: Stop = { ...stop, ...(disabledBy !== undefined && { disabledBy, accountAt: former?.accountAt }) };
    return { stop: known, stops: [...stops.filter((one) => one !== former && !isWithin(one, known)), known] };
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
    if (stop === undefined || !isOwn || stop.state === "ended" || stop.deletion !== undefined) {
      throw new ProblemError("not_found", "There is no such suspension. An end cannot be taken back.");
    }
    const others = stops.filter((one) => one !== stop);
    if (stop.disabledBy !== undefined) {
      const { disabledBy, ...others } = stop;
      const left: Stop = { ...others, by: disabledBy };
      return { lifted: stop, stop: left, stops: [...stops.filter((one) => one !== stop), left] };
    }
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

/** As `replaceStops`, for changes that are always made. */
async function change(
  ports: StopPorts,
  actor: StopActor,
  type: RecordedChange["type"],
  reason: string,
  next: (stops: readonly Stop[], at: number) => NextStops,
): Promise<StopChange> {
  return (await replaceStops(ports, actor, { type, reason }, next)) as StopChange;
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

/** Who said that the account of a suspended person is disabled; undefined: nobody. */
function disabledAtProvider({ state, by, disabledBy }: Stop): string | undefined {
  if (state !== "suspended") return undefined;
  return disabledBy ?? (by.startsWith(BY_SIGNAL) ? by : undefined);
}

/** Whether all that the one ended is ended by the other too, which is its organization's. */
function isWithin(one: Stop, { target }: Stop): boolean {
  return one.state === "ended" && target.kind === "organization" && one.organizationId === target.id;
}

function isSame(one: Stop, other: Stop): boolean {
  return one.organizationId === other.organizationId && keyOfStop(one.target) === keyOfStop(other.target);
}
