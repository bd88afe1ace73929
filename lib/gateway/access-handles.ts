import { sha256base64url } from "#sha256";
import type { Clock } from "../kernel/clock.ts";
import { utf8 } from "../kernel/encoding.ts";
import type { JsonObject } from "../kernel/json.ts";
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
  readonly stores: { readonly grants: Pick<Grants, "begin" | "interaction" | "advance"> };
}

/** Handles of one caller; those that may be asked for anew make room for others. */
const MOST_OF_CALLER = 20;
/** Milliseconds that a record without handles is kept. */
const EMPTY_KEPT = 60_000;
/** Calls of one caller at the same time meet in its record. */
const ATTEMPTS = 8;

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
 * Changes one handle by compare-and-set, whatever other instances do.
 *
 * @param change from the handle as it is, undefined where there is none, and whether there is room for another
 * @throws Error when the record is changed all the time
 */
export async function changeHandle<Result>(
  { record: interactionHash, key }: HandlePlace,
  { stores: { grants }, clock }: HandlePorts,
  change: (handle: AccessHandle | undefined, hasRoom: boolean) => HandleChange<Result>,
): Promise<Result> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const now = clock.now();
    // As long as it is stored: what is in it has ends of its own.
    const record = await grants.interaction(interactionHash, 0);
    const live = handlesOf(record?.content).filter(({ until }) => until > now);
    const others = live.filter((handle) => handle.key !== key);
    const kept = withRoom(others);
    const handle = live.find((one) => one.key === key);
    const changed = change(handle, kept.length < MOST_OF_CALLER);
    if (!("handle" in changed)) return changed.result;
    if (record === undefined) {
      // The first of two that begin stays; both go on with what is there then.
      await grants.begin({ interactionHash, revision: now, content: { handles: [] }, expiresAt: now + EMPTY_KEPT });
      continue;
    }
    const handles = changed.handle === undefined ? others : [...kept, changed.handle];
    const expiresAt = Math.max(now + EMPTY_KEPT, ...handles.map(({ until }) => until));
    const next = { interactionHash, revision: record.revision + 1, content: { handles }, expiresAt };
    if (await grants.advance(next, 0)) return changed.result;
  }
  throw new Error("the requests for access of a caller change all the time");
}

/** Of a full record the oldest goes that does not wait: it costs a request or an approval anew. */
function withRoom(handles: readonly AccessHandle[]): readonly AccessHandle[] {
  if (handles.length < MOST_OF_CALLER) return handles;
  const index = handles.findIndex(({ state }) => state === "ended" || state === "approved");
  return handles.filter((_, at) => at !== index);
}

/** Written by `changeHandle`. */
function handlesOf(content: JsonObject | undefined): readonly AccessHandle[] {
  return (content?.handles ?? []) as readonly AccessHandle[];
}
