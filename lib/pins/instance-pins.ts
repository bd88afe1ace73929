import { type AuditEventPorts, auditEvent } from "../audit/event.ts";
import type { McpAppConfiguration } from "../config/app-configuration.ts";
import { consolePage } from "../config/endpoints.ts";
import { canonicalJson } from "../kernel/canonical-json.ts";
import { pause } from "../kernel/timers.ts";
import type { AuditEvent } from "../stores/audit-log.ts";
import { DEFINITIONS_AT_ONCE, type PinnedTool, type Pins, type PinsKey, type PinsRecord } from "../stores/pins.ts";
import { StoreUnavailableError } from "../stores/unavailable.ts";
import type { ToolVersion } from "../upstream/catalog/tool-version.ts";
import type { Notice, WaitUntil, Webhooks } from "../webhooks/webhooks.ts";
import { firstListing, holdListed, isKnown, type PinsChange, textsOf } from "./versions.ts";

/** An app with `pins`. */
export type PinnedApp = Pick<McpAppConfiguration, "name" | "organization" | "pins">;

/** What has to be asked of one version of a tool. */
export type ToolPin = Pick<ToolVersion, "tool" | "digest">;

/** `held`: nobody has approved it. `refused`: an owner looked at it. `unknown`: the store is not looked at, as in some explanations. */
export type PinState = "approved" | "held" | "refused" | "unknown";

/** What is approved, as this instance knows it (D228). */
export interface InstancePins {
  /**
   * What became of versions of an app's tools. What is approved is at most `FRESH` milliseconds old, what is not at most `RECENT`: an
   * owner who approves a tool, or takes an approval back, waits no longer for it.
   *
   * @throws StoreUnavailableError when the store cannot be asked: nothing is called by what was known long ago
   */
  statesOf(app: PinnedApp, asked: readonly ToolPin[], waitUntil: WaitUntil): Promise<readonly PinState[]>;
  /**
   * Takes note of what an app lists, before anything is decided by it: what comes first is approved where `first` is `trust`, what is
   * not known is held, with one event each. Of instances that list at once one writes, and tells webhooks; the others follow it.
   */
  listed(app: PinnedApp, versions: readonly ToolVersion[], waitUntil: WaitUntil): Promise<void>;
  /** An owner has decided something here: what is known of the app is asked for anew. */
  decided(app: string): void;
}

/** What pins are kept and recorded with. */
export interface PinPorts extends AuditEventPorts {
  readonly stores: { readonly pins: Pins };
  readonly organizationOf: (app: PinnedApp) => Promise<string | undefined>;
  /** Absent: nobody is told of what is held. */
  readonly webhooks?: Webhooks | undefined;
}

/** Milliseconds. */
export const FRESH = 5_000;
export const RECENT = 1_000;
/** Between reading and replacing somebody else may have been there so often; and a long list takes several changes. */
const ATTEMPTS = 40;
/** Before another attempt, milliseconds at most; a random part of it. */
const LONGEST_PAUSE = 50;
/** Tools that a notice names. */
const MOST_TOLD = 50;

/** What was read last: plain data (D29). */
interface Copy {
  readonly key: PinsKey;
  readonly tools: ReadonlyMap<string, PinnedTool>;
  readonly hasListed: boolean;
  readonly readAt: number;
}

/**
 * @param documents of apps whose tools are made of a document: nobody lists them, so that they are noted when they are asked about first.
 *   By the app's name
 */
export function createInstancePins(
  ports: PinPorts,
  documents: ReadonlyMap<string, () => readonly ToolVersion[]> = new Map(),
): InstancePins {
  const { stores, clock } = ports;
  /** By the app's name: bounded by the configuration. */
  const copies = new Map<string, Copy>();

  const keyOf = async (app: PinnedApp): Promise<PinsKey> => ({
    organizationId: (await ports.organizationOf(app)) ?? "",
    app: app.name,
  });

  function remember(key: PinsKey, record: PinsRecord, readAt: number): Copy {
    const tools = new Map(record.tools.map((pinned) => [pinned.tool, pinned]));
    const copy = { key, tools, hasListed: record.firstAt !== undefined, readAt };
    copies.set(key.app, copy);
    return copy;
  }

  /** One that is no older than that. A clock that was set back makes everything old. */
  function kept({ organizationId, app }: PinsKey, age: number): Copy | undefined {
    const copy = copies.get(app);
    const isUsable =
      copy?.key.organizationId === organizationId && clock.now() >= copy.readAt && clock.now() - copy.readAt < age;
    return isUsable ? copy : undefined;
  }

  async function read(key: PinsKey): Promise<PinsRecord> {
    try {
      return await stores.pins.readPins(key);
    } catch (cause) {
      throw cause instanceof StoreUnavailableError ? cause : new StoreUnavailableError(cause);
    }
  }

  async function current(key: PinsKey, age: number): Promise<Copy> {
    const readAt = clock.now();
    return kept(key, age) ?? remember(key, await read(key), readAt);
  }

  async function listed(app: PinnedApp, versions: readonly ToolVersion[], waitUntil: WaitUntil): Promise<void> {
    if (versions.length === 0) return;
    const key = await keyOf(app);
    const copy = kept(key, FRESH);
    if (copy?.hasListed && versions.every(({ tool, digest }) => isKnownTo(copy, tool, digest))) return;
    const held = await note(app, key, versions);
    if (held.length > 0) ports.webhooks?.tell(heldNotice(key, held), waitUntil);
  }

  /** @returns the records of what is held from now on */
  async function note(app: PinnedApp, key: PinsKey, versions: readonly ToolVersion[]): Promise<readonly AuditEvent[]> {
    const held: AuditEvent[] = [];
    const written = new Set<string>();
    let record = await read(key);
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      const at = clock.now();
      const isFirst = record.firstAt === undefined && app.pins?.first === "trust";
      const change = isFirst ? firstListing(record, versions, at) : holdListed(record, versions, at);
      if (change === undefined) break;
      await keepTexts(key, change, versions, written);
      const events = isFirst
        ? [pinnedEvent(app, change)]
        : change.added.map((version) => heldEvent(app, record, version));
      const isWritten = await stores.pins.replacePins(key, change.record, withOrganization(key, events));
      if (isWritten && !isFirst) held.push(...events);
      if (isWritten) await drop(key, change.dropped);
      else await pause(randomPart(LONGEST_PAUSE));
      record = isWritten ? change.record : await read(key);
      if (isWritten && isFirst) break;
    }
    remember(key, record, clock.now());
    const needed = textsOf(record);
    await drop(
      key,
      [...written].filter((digest) => !needed.has(digest)),
    );
    return held;
  }

  /** One for all that a list brought. */
  function heldNotice({ organizationId, app }: PinsKey, held: readonly AuditEvent[]): Notice {
    const [{ id, time } = auditEvent(ports, { type: "tool.held", outcome: "refused" })] = held;
    const url = consolePage("gateway/pins", ports.configuration().configuration);
    const tools = held
      .slice(0, MOST_TOLD)
      .map(({ tool = "", reason = "", details }) => ({ tool, reason, digest: details?.digest ?? "" }));
    const data = { app, count: held.length, tools, ...(url !== undefined && { url }) };
    return { type: "tool.held", id, time, organizationId, data };
  }

  /** Before the record names them, and each once. */
  async function keepTexts(
    key: PinsKey,
    { record, added }: PinsChange,
    versions: readonly ToolVersion[],
    written: Set<string>,
  ): Promise<void> {
    const digests = new Set(added.map(({ digest }) => digest));
    const named = textsOf(record);
    const wanted = versions.filter(({ digest }) => digests.has(digest) && named.has(digest) && !written.has(digest));
    for (let start = 0; start < wanted.length; start += DEFINITIONS_AT_ONCE) {
      const part = wanted.slice(start, start + DEFINITIONS_AT_ONCE);
      const texts = part.map(({ digest, definition }) => ({ digest, text: canonicalJson(definition) }));
      await stores.pins.keepDefinitions(key, texts);
      for (const { digest } of part) written.add(digest);
    }
  }

  async function drop(key: PinsKey, digests: readonly string[]): Promise<void> {
    for (let start = 0; start < digests.length; start += DEFINITIONS_AT_ONCE)
      await stores.pins.dropDefinitions(key, digests.slice(start, start + DEFINITIONS_AT_ONCE));
  }

  function pinnedEvent(app: PinnedApp, { added }: PinsChange): AuditEvent {
    const details = { tools: String(added.length) };
    return auditEvent(ports, { type: "tool.pinned", outcome: "success", app: app.name, details });
  }

  function heldEvent(app: PinnedApp, { tools }: PinsRecord, { tool, digest }: ToolPin): AuditEvent {
    const known = tools.find((pinned) => pinned.tool === tool);
    const reason = known === undefined || known.approved.length === 0 ? "new_tool" : "changed_tool";
    const what = { app: app.name, tool: tool.toWellFormed(), reason, details: { digest } };
    return auditEvent(ports, { type: "tool.held", outcome: "refused", ...what });
  }

  function randomPart(most: number): number {
    const [byte = 0] = ports.random.bytes(1);
    return (most * byte) / 255;
  }

  return {
    listed,
    decided: (app) => void copies.delete(app),
    async statesOf(app, asked, waitUntil) {
      const key = await keyOf(app);
      const states = (copy: Copy) => asked.map(({ tool, digest }) => stateOf(copy.tools.get(tool), digest));
      const document = documents.get(app.name);
      const copy = await current(key, FRESH);
      const isUnknown = !copy.hasListed || asked.some(({ tool, digest }) => !isKnownTo(copy, tool, digest));
      if (document !== undefined && isUnknown) await listed(app, document(), waitUntil);
      const before = states(copy);
      if (before.every((state) => state === "approved")) return before;
      return states(await current(key, RECENT));
    },
  };
}

/** The same by what is stored alone, for whoever only wants to know: nothing is noted, and nothing kept. */
export function storedPins({
  stores,
  organizationOf,
}: Pick<PinPorts, "organizationOf"> & {
  readonly stores: { readonly pins: Pick<Pins, "readPins"> };
}): Pick<InstancePins, "statesOf"> {
  return {
    async statesOf(app, asked) {
      const record = await stores.pins.readPins({ organizationId: (await organizationOf(app)) ?? "", app: app.name });
      // What is listed first would be approved.
      if (record.firstAt === undefined && app.pins?.first === "trust") return asked.map(() => "approved");
      const tools = new Map(record.tools.map((pinned) => [pinned.tool, pinned]));
      return asked.map(({ tool, digest }) => stateOf(tools.get(tool), digest));
    },
  };
}

/** For explanations without a store. */
export const PINS_UNKNOWN: Pick<InstancePins, "statesOf"> = {
  statesOf: async (_, asked) => asked.map(() => "unknown"),
};

function withOrganization({ organizationId }: PinsKey, events: readonly AuditEvent[]): readonly AuditEvent[] {
  return organizationId === "" ? events : events.map((event) => ({ ...event, organizationId }));
}

function isKnownTo({ tools }: Copy, tool: string, digest: string): boolean {
  const pinned = tools.get(tool);
  return pinned !== undefined && isKnown(pinned, digest);
}

function stateOf(pinned: PinnedTool | undefined, digest: string): PinState {
  if (pinned?.approved.some((one) => one.digest === digest)) return "approved";
  return pinned?.held.find((one) => one.digest === digest)?.refused === undefined ? "held" : "refused";
}
