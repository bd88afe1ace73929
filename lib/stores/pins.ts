import type { AuditEvent } from "./audit-log.ts";
import { once, type Port, read, write } from "./operations.ts";

/** Whose pins. */
export interface PinsKey {
  /** Of the app; empty as long as the instance has none. */
  readonly organizationId: string;
  /** Name of the app. */
  readonly app: string;
}

/** One definition of a tool that was approved. Times in milliseconds since the epoch. */
export interface ApprovedVersion {
  /** SHA-256 of the definition's canonical JSON, base64url. */
  readonly digest: string;
  readonly at: number;
  /** `user_…`, or the operator; absent: it was listed first. */
  readonly by?: string;
  /** Bytes of the definition's text that is kept; absent: none is. */
  readonly bytes?: number;
}

/** One definition of a tool that nobody has approved. */
export interface HeldVersion {
  readonly digest: string;
  /** When it was first seen. */
  readonly at: number;
  readonly bytes?: number;
  /** An owner looked at it and refused it. */
  readonly refused?: { readonly at: number; readonly by: string };
}

/** What is known of one tool. */
export interface PinnedTool {
  /** The upstream's own name. */
  readonly tool: string;
  /** The latest last. Several, as servers may tell callers and protocol revisions differently. */
  readonly approved: readonly ApprovedVersion[];
  /** The latest last. */
  readonly held: readonly HeldVersion[];
  /** How many versions were held since somebody approved or refused one. */
  readonly changes: number;
}

/** The pins of one app, one document. */
export interface PinsRecord {
  /** 0: nothing was ever pinned. Grows with each change. */
  readonly revision: number;
  /** When tools were first listed; absent: they were not yet. */
  readonly firstAt?: number;
  readonly tools: readonly PinnedTool[];
}

/** The text of one definition: canonical JSON. */
export interface PinnedDefinition {
  readonly digest: string;
  readonly text: string;
}

export const NO_PINS: PinsRecord = { revision: 0, tools: [] };

/** Bytes of the JSON text of a record, which a store keeps as one value (DynamoDB: 400 KB). */
export const PINS_BYTES = 380_000;
/** Bytes of the longest definition whose text is kept. */
export const DEFINITION_BYTES = 64 * 1024;
/** Definitions that are written or read at once. */
export const DEFINITIONS_AT_ONCE = 25;

/**
 * Linearizable compare-and-set of one document for each app; the texts of definitions lie beside it, as they may be long. At most
 * `DEFINITIONS_AT_ONCE` of them are handed over at once.
 */
export const PINS = {
  readPins: read<(key: PinsKey) => PinsRecord>(),
  /**
   * Writes a record whose revision is one more than the stored one, with events that become durable together with it; false, and
   * nothing is written, when it is not.
   */
  replacePins: once<(key: PinsKey, record: PinsRecord, events: readonly AuditEvent[]) => boolean>(),
  keepDefinitions: write<(key: PinsKey, definitions: readonly PinnedDefinition[]) => void>(),
  /** Those that are kept, in no order. */
  definitions: read<(key: PinsKey, digests: readonly string[]) => readonly PinnedDefinition[]>(),
  dropDefinitions: write<(key: PinsKey, digests: readonly string[]) => void>(),
};

export type Pins = Port<typeof PINS>;
