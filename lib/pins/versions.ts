import { utf8 } from "../kernel/encoding.ts";
import {
  type ApprovedVersion,
  DEFINITION_BYTES,
  type HeldVersion,
  PINS_BYTES,
  type PinnedTool,
  type PinsRecord,
} from "../stores/pins.ts";
import type { ToolVersion } from "../upstream/catalog/tool-version.ts";

/** What the bounds are about: everything that an upstream can make grow. */
type Listed = Pick<ToolVersion, "tool" | "digest" | "bytes">;

/** Tools of one app that are known, also those that are held. */
export const MOST_TOOLS = 2_000;
/** Tools of one app of which something waits for an owner. */
export const MOST_WAITING = 200;
/** Approved versions of one tool: then the oldest is held again when it is listed. */
export const MOST_APPROVED = 16;
/** Held versions of one tool: then the newest takes the place of the oldest. */
export const MOST_HELD = 4;
/** Approved versions of one tool whose text is kept. */
const MOST_TEXTS = 4;
/** Bytes of all texts of an app. */
const TEXT_BYTES = 4 * 1024 * 1024;
/** Bytes of a record as far as lists make it grow; the rest is room for what owners decide. */
const LISTED_BYTES = 250_000;
/** Versions that one change holds: each has an event, and a store writes few things at once. */
export const MOST_AT_ONCE = 20;

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

/** A record after a change, and what else goes with it. */
export interface PinsChange {
  readonly record: PinsRecord;
  /** Versions that were not known before. */
  readonly added: readonly Listed[];
  /** Digests whose texts nobody needs any more. */
  readonly dropped: readonly string[];
}

/** Whether the version is known, approved or not. */
export function isKnown({ approved, held }: PinnedTool, digest: string): boolean {
  return approved.some((one) => one.digest === digest) || held.some((one) => one.digest === digest);
}

/** Digests whose texts are kept. */
export function textsOf({ tools }: PinsRecord): ReadonlySet<string> {
  const versions = tools.flatMap(({ approved, held }) => [...approved, ...held]);
  return new Set(versions.flatMap(({ digest, bytes }) => (bytes === undefined ? [] : [digest])));
}

/** The record of an app whose tools are listed for the first time: all are approved, as far as there is room. */
export function firstListing(record: PinsRecord, listed: readonly Listed[], at: number): PinsChange {
  const room = createRoom(record);
  const added = listed.slice(0, MOST_TOOLS).filter((version) => room.take(pinnedFirst(version, at)));
  const tools = added.map((version) => pinnedFirst(room.withText(version), at));
  return { record: next(record, tools, at), added, dropped: [] };
}

function pinnedFirst({ tool, digest, bytes }: Partial<Listed> & Omit<Listed, "bytes">, at: number): PinnedTool {
  return { tool, approved: [{ digest, at, ...(bytes !== undefined && { bytes }) }], held: [], changes: 0 };
}

/**
 * The record with what is listed and not known. Some of it, as `MOST_AT_ONCE` says: then there is more. Undefined: there is nothing that
 * may be recorded. What has no room, or follows another version too soon, is held all the same: nobody can approve it yet.
 */
export function holdListed(record: PinsRecord, listed: readonly Listed[], at: number): PinsChange | undefined {
  const tools = new Map(record.tools.map((pinned) => [pinned.tool, pinned]));
  const room = createRoom(record);
  let waiting = record.tools.filter(isWaiting).length;
  const added: Listed[] = [];
  const dropped: string[] = [];
  for (const version of listed) {
    if (added.length === MOST_AT_ONCE) break;
    const known = tools.get(version.tool);
    const former = known ?? { tool: version.tool, approved: [], held: [], changes: 0 };
    if (isKnown(former, version.digest) || isTooSoon(former, at)) continue;
    if (known === undefined && tools.size >= MOST_TOOLS) continue;
    if (!isWaiting(former) && waiting >= MOST_WAITING) continue;
    const pinned = withHeld(former, room.withText(version), at);
    if (!room.take(pinned, known)) continue;
    if (!isWaiting(former)) waiting += 1;
    const left = new Set(pinned.held);
    dropped.push(...former.held.filter((one) => !left.has(one)).map(({ digest }) => digest));
    tools.set(version.tool, pinned);
    added.push(version);
  }
  const isFirst = record.firstAt === undefined;
  if (added.length === 0 && !isFirst) return undefined;
  return { record: next(record, [...tools.values()], at), added, dropped };
}

function next({ revision, firstAt }: PinsRecord, tools: readonly PinnedTool[], at: number): PinsRecord {
  return { revision: revision + 1, firstAt: firstAt ?? at, tools };
}

function withHeld(
  { tool, approved, held, changes }: PinnedTool,
  { digest, bytes }: Partial<Pick<Listed, "bytes">> & Pick<Listed, "digest">,
  at: number,
): PinnedTool {
  const version: HeldVersion = { digest, at, ...(bytes !== undefined && { bytes }) };
  return { tool, approved, held: [...held, version].slice(-MOST_HELD), changes: changes + 1 };
}

/** Whether an owner has to look at it. */
export function isWaiting({ held }: Pick<PinnedTool, "held">): boolean {
  return held.some(({ refused }) => refused === undefined);
}

/** Whoever tells something new at each listing fills no log: after some versions that nobody decides on, each waits twice as long. */
function isTooSoon({ held, changes }: PinnedTool, at: number): boolean {
  const last = held.at(-1);
  if (last === undefined || changes < MOST_HELD) return false;
  return at - last.at < Math.min(DAY, MINUTE * 2 ** (changes - MOST_HELD));
}

/** What a record and the texts beside it may still grow by. */
interface Room {
  /** The version; without its bytes where its text has no room. */
  withText(version: Listed): Omit<Listed, "bytes"> & Partial<Pick<Listed, "bytes">>;
  /** Whether the record takes the entry, in the place of the former one. */
  take(pinned: PinnedTool, former?: PinnedTool): boolean;
}

/** Bytes that members of the record besides its tools may take. */
const OVERHEAD = 200;

function createRoom(record: PinsRecord): Room {
  let left = LISTED_BYTES - OVERHEAD - sizeOf(record);
  let texts = TEXT_BYTES - record.tools.reduce((sum, tool) => sum + textBytes(tool), 0);
  return {
    withText({ tool, digest, bytes }) {
      if (bytes > DEFINITION_BYTES || bytes > texts) return { tool, digest };
      texts -= bytes;
      return { tool, digest, bytes };
    },
    take(pinned, former) {
      const more = sizeOf(pinned) + 1 - (former === undefined ? 0 : sizeOf(former) + 1);
      if (more > left) return false;
      left -= more;
      return true;
    },
  };
}

/** Whether a store keeps the record. */
export function hasRoom(record: PinsRecord): boolean {
  return sizeOf(record) <= PINS_BYTES;
}

function sizeOf(value: object): number {
  return utf8(JSON.stringify(value)).length;
}

function textBytes({ approved, held }: PinnedTool): number {
  return [...approved, ...held].reduce((sum, { bytes = 0 }) => sum + bytes, 0);
}

/** What an owner decides on one held version. */
export interface Verdict {
  readonly tool: string;
  readonly digest: string;
  readonly by: string;
  readonly at: number;
}

/** The record with a held version approved, refused ones too; undefined: this version is not held. */
export function approveHeld(record: PinsRecord, verdict: Verdict): PinsChange | undefined {
  return decide(record, verdict, (pinned, version) => {
    const { refused: _, ...approved } = version;
    const all: readonly ApprovedVersion[] = [
      ...pinned.approved.filter(({ digest }) => digest !== verdict.digest),
      { ...approved, at: verdict.at, by: verdict.by },
    ].slice(-MOST_APPROVED);
    return {
      ...pinned,
      approved: all.map((one, index) => (index < all.length - MOST_TEXTS ? withoutText(one) : one)),
      held: pinned.held.filter((one) => one !== version),
      changes: 0,
    };
  });
}

/** The record with a held version refused: it stays held, and nobody is asked again. Undefined: this version is not held. */
export function refuseHeld(record: PinsRecord, verdict: Verdict): PinsChange | undefined {
  return decide(record, verdict, (pinned, version) => ({
    ...pinned,
    held: pinned.held.map((one) => (one === version ? { ...one, refused: { at: verdict.at, by: verdict.by } } : one)),
    changes: 0,
  }));
}

function decide(
  record: PinsRecord,
  { tool, digest }: Verdict,
  change: (pinned: PinnedTool, version: HeldVersion) => PinnedTool,
): PinsChange | undefined {
  const pinned = record.tools.find((one) => one.tool === tool);
  const version = pinned?.held.find((one) => one.digest === digest);
  if (pinned === undefined || version === undefined) return undefined;
  const changed = change(pinned, version);
  const tools = record.tools.map((one) => (one === pinned ? changed : one));
  return withoutLost(record, { ...record, revision: record.revision + 1, tools });
}

/**
 * The record without one tool, which is a new one then, or without all, of which the next list is the first. Undefined: there is nothing
 * of it.
 */
export function forget(record: PinsRecord, tool: string | undefined): PinsChange | undefined {
  const revision = record.revision + 1;
  if (tool === undefined)
    return record.firstAt === undefined ? undefined : withoutLost(record, { revision, tools: [] });
  const tools = record.tools.filter((one) => one.tool !== tool);
  return tools.length === record.tools.length ? undefined : withoutLost(record, { ...record, revision, tools });
}

function withoutLost(before: PinsRecord, record: PinsRecord): PinsChange {
  const kept = textsOf(record);
  return { record, added: [], dropped: [...textsOf(before)].filter((digest) => !kept.has(digest)) };
}

function withoutText({ bytes: _, ...version }: ApprovedVersion): ApprovedVersion {
  return version;
}
