import { representStop, representStopChange } from "../../../lib/management/representations/stops.ts";
import { findSuspension, liftStop, listStops, placeStop } from "../../../lib/stops/change-stops.ts";
import { STOP_KINDS, type StopKind, type StopTarget } from "../../../lib/stores/stops.ts";
import { parseFlags } from "../flags.ts";
import type { CommandIo } from "../io.ts";
import { UsageError } from "../usage-error.ts";
import { administerExisting, required } from "./administer.ts";
import { STORE_FLAGS } from "./embedded-store.ts";
import { LISTING_FLAGS, listed } from "./listed.ts";

const TARGET_FLAGS = { ...STORE_FLAGS, kind: "string", id: "string", issuer: "string", reason: "string" } as const;

/**
 * `countersign stop -kind KIND -id ID [-issuer URL] [-endTokens] -reason TEXT`: suspends something of the embedded store's instance,
 * or ends its tokens and sessions without suspending it. Prints one JSON object.
 */
export async function run(args: readonly string[], io: CommandIo): Promise<number> {
  const flags = parseFlags(args, { ...TARGET_FLAGS, endTokens: "boolean" });
  const input = {
    ...targetOf(flags),
    state: flags.endTokens ? "ended" : "suspended",
    reason: required(flags.reason, "reason TEXT"),
  };
  const change = await administerExisting(flags, io, (dependencies, actor) =>
    placeStop(dependencies, { ...actor, isOperator: true }, input),
  );
  io.stdout(`${JSON.stringify(representStopChange(change))}\n`);
  return 0;
}

/** `countersign resume -kind KIND -id ID [-issuer URL] -reason TEXT`: takes a suspension back. Prints one JSON object. */
export async function runResume(args: readonly string[], io: CommandIo): Promise<number> {
  const flags = parseFlags(args, TARGET_FLAGS);
  const target = targetOf(flags);
  const reason = required(flags.reason, "reason TEXT");
  const change = await administerExisting(flags, io, async (dependencies, operator) => {
    const actor = { ...operator, isOperator: true } as const;
    const { stopId } = await findSuspension(dependencies, actor, target);
    return liftStop(dependencies, actor, stopId, { reason });
  });
  io.stdout(`${JSON.stringify(representStopChange(change))}\n`);
  return 0;
}

/** `countersign stops`: lists what is stopped, newest first. */
export async function runList(args: readonly string[], io: CommandIo): Promise<number> {
  const flags = parseFlags(args, { ...STORE_FLAGS, ...LISTING_FLAGS });
  const stops = await administerExisting(flags, io, (dependencies, actor) =>
    listStops(dependencies, { ...actor, isOperator: true }),
  );
  const items = stops.map(representStop);
  io.stdout(listed({ items }, items, ["kind", "id", "state", "at", "by", "reason"], flags, io));
  return 0;
}

interface TargetFlags {
  readonly kind?: string;
  readonly id?: string;
  readonly issuer?: string;
}

function targetOf({ kind: named, id, issuer }: TargetFlags): StopTarget {
  const kind = STOP_KINDS.find((one) => one === named);
  if (kind === undefined) throw new UsageError(`-kind must be one of ${STOP_KINDS.join(", ")}.`);
  return { kind: kind satisfies StopKind, id: required(id, "id ID"), ...(issuer !== undefined && { issuer }) };
}
