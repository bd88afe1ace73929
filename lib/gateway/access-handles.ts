import { sha256base64url } from "#sha256";
import type { Clock } from "../kernel/clock.ts";
import { utf8 } from "../kernel/encoding.ts";
import type { JsonObject } from "../kernel/json.ts";
import type { Random } from "../kernel/random.ts";
import { jitterOf } from "../kernel/refreshing-cache.ts";
import { pause } from "../kernel/timers.ts";
import type { AccessApproval } from "../policy/access-request.ts";
import type { Grants } from "../stores/grants.ts";

/** A request for access that was made for a caller. Times in milliseconds since the epoch. */
export interface AccessHandle {
  /** Digest of what was asked for. */
  readonly key: string;
  /**
   * - `submitting`: an instance hands it over; of any number of equal calls one does.
   * - `pending`: the service has it.
   * - `approved`: presented with the next calls, as long as the approval lasts.
   * - `ended`: repeated calls are told so, and nothing is requested.
   */
  readonly state: "submitting" | "pending" | "approved" | "ended";
  /** Nothing is known of it from then on. */
  readonly until: number;
  /** Of `submitting`: nobody else's submission has it. */
  readonly nonce?: string;
  readonly taskId?: string;
  readonly url?: string;
  /** Nobody is asked before. */
  readonly retryAt?: number;
  /** How often the service or the decision point was asked for what became of it. */
  readonly polls?: number;
  readonly approval?: AccessApproval;
  /** Of what has ended. */
  readonly status?: string;
  /** For the agent, by the service. */
  readonly text?: string;
}

/** Where a handle lies: all of one caller lie in one record. */
export interface HandlePlace {
  readonly record: string;
  readonly key: string;
}

export interface HandlePorts {
  readonly clock: Clock;
  readonly random: Random;
  readonly stores: { readonly grants: Pick<Grants, "begin" | "interaction" | "advance"> };
}

/** Handles of one caller; those that may be asked for anew make room for others. */
const MOST_OF_CALLER = 20;
/** Milliseconds that a record without handles is kept. */
const EMPTY_KEPT = 60_000;
/** Instances meet in the record of a caller: so often another one may have been there. */
const ATTEMPTS = 60;
/** Before another attempt, milliseconds at most; a random part of it, so that of several one gets through. */
const [FIRST_PAUSE, LONGEST_PAUSE] = [10, 100];
/** Between two looks at whether another call of this instance is done with the record, milliseconds at most; and how long it is waited for. */
const [LONGEST_LOOK, LONGEST_TURN] = [20, 3_000];

/** Whatever is to be changed, others always came first. */
export class ContendedError extends Error {
  constructor() {
    super("the requests for access of a caller change all the time");
    this.name = "ContendedError";
  }
}

/** Records that this instance changes now. */
const changing = new WeakMap<HandlePorts["stores"]["grants"], Set<string>>();

/**
 * The name of a record. No text has it as its digest, as its bytes are no text: the other records of the kind are found by what people
 * send.
 */
export function recordName(caller: string): string {
  return sha256base64url(new Uint8Array([0xff, ...utf8(`access requests\0${caller}`)]));
}

/** What becomes of a handle, and of what its change is told. `handle` undefined: it is dropped; absent: nothing changes. */
export type HandleChange<Result> = { readonly result: Result; readonly handle?: AccessHandle | undefined };

/**
 * Changes one handle by compare-and-set, whatever other instances do. Calls of this one do it one after the other.
 *
 * @param change from the handle as it is, undefined where there is none, and whether there is room for another
 * @throws ContendedError when the record is changed all the time
 */
export async function changeHandle<Result>(
  place: HandlePlace,
  ports: HandlePorts,
  change: (handle: AccessHandle | undefined, hasRoom: boolean) => HandleChange<Result>,
): Promise<Result> {
  const { record: interactionHash, key } = place;
  const { clock, random } = ports;
  const { grants } = ports.stores;
  let turn: Turn | undefined;
  try {
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      const now = clock.now();
      // As long as it is stored: what is in it has ends of its own.
      const record = await grants.interaction(interactionHash, 0);
      const live = handlesOf(record?.content).filter(({ until }) => until > now);
      const others = live.filter((handle) => handle.key !== key);
      const kept = withRoom(others);
      const handle = live.find((one) => one.key === key);
      const changed = change(handle, kept.length < MOST_OF_CALLER);
      // Who only looks waits for nobody.
      if (!("handle" in changed)) return changed.result;
      turn ??= await turnOf(place, ports);
      if (attempt === 0 && turn.hasWaited) continue;
      if (record === undefined) {
        // The first of two that begin stays; both go on with what is there then.
        await grants.begin({ interactionHash, revision: now, content: { handles: [] }, expiresAt: now + EMPTY_KEPT });
        continue;
      }
      const handles = changed.handle === undefined ? others : [...kept, changed.handle];
      const expiresAt = Math.max(now + EMPTY_KEPT, ...handles.map(({ until }) => until));
      const next = { interactionHash, revision: record.revision + 1, content: { handles }, expiresAt };
      if (await grants.advance(next, 0)) return changed.result;
      await pause(jitterOf(random) * Math.min(LONGEST_PAUSE, FIRST_PAUSE * 2 ** attempt));
    }
    throw new ContendedError();
  } finally {
    turn?.leave();
  }
}

interface Turn {
  /** Others may have changed the record meanwhile. */
  readonly hasWaited: boolean;
  readonly leave: () => void;
}

/** By looks, and for a while only: a request must not wait for what another one does, which may never end (D29). */
async function turnOf({ record }: HandlePlace, { stores, random }: HandlePorts): Promise<Turn> {
  const taken = changing.get(stores.grants) ?? new Set();
  changing.set(stores.grants, taken);
  let waited = 0;
  while (taken.has(record) && waited < LONGEST_TURN) {
    const step = Math.max(1, Math.ceil(jitterOf(random) * LONGEST_LOOK));
    await pause(step);
    waited += step;
  }
  taken.add(record);
  return { hasWaited: waited > 0, leave: () => taken.delete(record) };
}

/** Of a full record one goes that does not wait: the oldest of those whose loss costs least. */
function withRoom(handles: readonly AccessHandle[]): readonly AccessHandle[] {
  if (handles.length < MOST_OF_CALLER) return handles;
  const costs = handles.map(costOf);
  const index = costs.indexOf(Math.min(...costs));
  return costs[index] === Number.POSITIVE_INFINITY ? handles : handles.filter((_, at) => at !== index);
}

/** An approval can be had anew. After a refusal people would be asked again who have said no. */
function costOf({ state, status }: AccessHandle): number {
  if (state === "approved") return 1;
  if (state !== "ended") return Number.POSITIVE_INFINITY;
  return status === "denied" ? 2 : 0;
}

/** Written by `changeHandle`. */
function handlesOf(content: JsonObject | undefined): readonly AccessHandle[] {
  return (content?.handles ?? []) as readonly AccessHandle[];
}
