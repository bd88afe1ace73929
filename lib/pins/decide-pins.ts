import type { Administrator } from "../api-clients/client-event.ts";
import { type AuditEventPorts, auditEvent, byAdministrator } from "../audit/event.ts";
import type { McpAppConfiguration } from "../config/app-configuration.ts";
import { readFields } from "../kernel/fields.ts";
import { ProblemError } from "../kernel/problem.ts";
import { pause } from "../kernel/timers.ts";
import type { AuditEventType } from "../stores/audit-log.ts";
import {
  type ApprovedVersion,
  DEFINITIONS_AT_ONCE,
  type HeldVersion,
  type PinnedTool,
  type Pins,
  type PinsKey,
  type PinsRecord,
} from "../stores/pins.ts";
import { approveHeld, forget, hasRoom, type PinsChange, refuseHeld } from "./versions.ts";

/** What owners decide with. */
export interface PinDecisionPorts extends AuditEventPorts {
  readonly stores: { readonly pins: Pins };
  /** The organization that an app belongs to. */
  readonly organizationOf: (app: Pick<McpAppConfiguration, "organization">) => Promise<string | undefined>;
}

/** The pins of one app. */
export interface AppPins {
  readonly app: McpAppConfiguration;
  readonly record: PinsRecord;
}

/** A held version, with what was approved of its tool before. */
export interface HeldTool {
  readonly app: string;
  readonly pinned: PinnedTool;
  readonly version: HeldVersion;
  /** Canonical JSON by digest, as far as it is kept: of the held version, and of approved ones. */
  readonly texts: ReadonlyMap<string, string>;
}

/** Between reading and replacing somebody else may have been there so often. */
const ATTEMPTS = 20;
/** Before another attempt, milliseconds at most; a random part of it. */
const LONGEST_PAUSE = 50;
/** Digests that a refusal names. */
const MOST_NAMED = 10;

/** The apps of an organization that pin tools, in the order of the configuration. */
export async function listPins(ports: PinDecisionPorts, organizationId: string): Promise<readonly AppPins[]> {
  const apps = await ownApps(ports, organizationId);
  return Promise.all(
    apps.map(async (app) => ({ app, record: await ports.stores.pins.readPins({ organizationId, app: app.name }) })),
  );
}

/** A version that is held. @throws ProblemError `not_found` */
export async function heldTool(
  ports: PinDecisionPorts,
  organizationId: string,
  name: string,
  digest: string,
): Promise<HeldTool> {
  const key = await keyOf(ports, organizationId, name);
  const record = await ports.stores.pins.readPins(key);
  const found = findHeld(record, digest);
  if (found === undefined) throw new ProblemError("not_found", "No such version is held.");
  const digests = [digest, ...found.pinned.approved.map((approved) => approved.digest)];
  const texts = await ports.stores.pins.definitions(key, digests.slice(0, DEFINITIONS_AT_ONCE));
  return { app: name, ...found, texts: new Map(texts.map(({ digest: kept, text }) => [kept, text])) };
}

/**
 * Approves the held version with this digest: agents get the tool as it is there, wherever it is listed so. A refused one may be
 * approved as well.
 *
 * @param input `{digest}`
 * @throws ProblemError `not_found`, `conflict` where this version is not held, with what is, `invalid_body`, `invalid_field`
 */
export function approveTool(
  ports: PinDecisionPorts,
  actor: Administrator,
  name: string,
  input: unknown,
): Promise<AppPins> {
  return onHeld(ports, actor, name, input, { type: "tool.approved", change: approveHeld });
}

/**
 * Refuses the held version with this digest: it stays held, and is not among what waits any more.
 *
 * @param input `{digest}`
 * @throws ProblemError as `approveTool`
 */
export function refuseTool(
  ports: PinDecisionPorts,
  actor: Administrator,
  name: string,
  input: unknown,
): Promise<AppPins> {
  return onHeld(ports, actor, name, input, { type: "tool.refused", change: refuseHeld });
}

/**
 * Forgets one tool, which is held as a new one from then on, or all of the app, whose next list is the first then.
 *
 * @param input `{tool?}`
 * @throws ProblemError `not_found`, `conflict`, `invalid_body`, `invalid_field`
 */
export async function forgetPins(
  ports: PinDecisionPorts,
  actor: Administrator,
  name: string,
  input: unknown,
): Promise<AppPins> {
  const fields = readFields(input, ["tool"]);
  const { tool } = fields.object;
  if (tool !== undefined && typeof tool !== "string") fields.refuse("/tool", "must be a string");
  fields.finish();
  const meant = typeof tool === "string" ? tool : undefined;
  return decide(ports, actor, name, (record) => {
    const change = forget(record, meant);
    if (change === undefined) throw new ProblemError("not_found", "Nothing of this is known.");
    return { type: "tool.forgotten", change, ...(meant !== undefined && { tool: meant }) };
  });
}

interface OnHeld {
  readonly type: Extract<AuditEventType, "tool.approved" | "tool.refused">;
  readonly change: typeof approveHeld;
}

function onHeld(
  ports: PinDecisionPorts,
  actor: Administrator,
  name: string,
  input: unknown,
  { type, change }: OnHeld,
): Promise<AppPins> {
  const fields = readFields(input, ["digest"]);
  const { digest } = fields.object;
  if (typeof digest !== "string") fields.refuse("/digest", digest === undefined ? "is required" : "must be a string");
  fields.finish();
  const meant = String(digest);
  return decide(ports, actor, name, (record, at) => {
    const found = findHeld(record, meant);
    if (found === undefined) throw new ProblemError("conflict", notHeld(record));
    const { tool } = found.pinned;
    const changed = change(record, { tool, digest: meant, at, by: actor.id });
    if (changed === undefined) throw new ProblemError("conflict", notHeld(record));
    if (!hasRoom(changed.record))
      throw new ProblemError(
        "conflict",
        "There is no room for more decisions on this app: forget tools that are gone.",
      );
    return { type, change: changed, tool, digest: meant };
  });
}

function notHeld({ tools }: PinsRecord): string {
  const held = tools.flatMap(({ tool, held: versions }) =>
    versions.map(({ digest }) => `${digest} of ${JSON.stringify(tool)}`),
  );
  const named = held.slice(-MOST_NAMED).join(", ");
  return `This version is not held. Held now: ${held.length === 0 ? "none" : named}${held.length > MOST_NAMED ? ", and more" : ""}.`;
}

interface Decided {
  readonly type: AuditEventType;
  readonly change: PinsChange;
  readonly tool?: string;
  readonly digest?: string;
}

async function decide(
  ports: PinDecisionPorts,
  actor: Administrator,
  name: string,
  change: (record: PinsRecord, at: number) => Decided,
): Promise<AppPins> {
  const { organizationId } = actor;
  const app = await ownApp(ports, organizationId, name);
  const key = { organizationId, app: name };
  const { pins } = ports.stores;
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const decided = change(await pins.readPins(key), ports.clock.now());
    const { record, dropped } = decided.change;
    if (await pins.replacePins(key, record, [eventOf(ports, actor, name, decided)])) {
      for (let start = 0; start < dropped.length; start += DEFINITIONS_AT_ONCE)
        await pins.dropDefinitions(key, dropped.slice(start, start + DEFINITIONS_AT_ONCE));
      return { app, record };
    }
    const [byte = 0] = ports.random.bytes(1);
    await pause((LONGEST_PAUSE * byte) / 255);
  }
  throw new ProblemError("conflict", "Others decide on the tools of this app at the same time. Try again.");
}

function eventOf(ports: PinDecisionPorts, actor: Administrator, app: string, { type, tool, digest }: Decided) {
  return auditEvent(ports, {
    type,
    outcome: "success",
    organizationId: actor.organizationId,
    ...byAdministrator(actor),
    app,
    ...(tool !== undefined && { tool: tool.toWellFormed() }),
    ...(digest !== undefined && { details: { digest } }),
  });
}

function findHeld(
  { tools }: PinsRecord,
  digest: string,
): { readonly pinned: PinnedTool; readonly version: HeldVersion } | undefined {
  for (const pinned of tools) {
    const version = pinned.held.find((one) => one.digest === digest);
    if (version !== undefined) return { pinned, version };
  }
  return undefined;
}

/** Approved versions of a tool, the latest first. */
export function latestFirst({ approved }: PinnedTool): readonly ApprovedVersion[] {
  return approved.toReversed();
}

async function keyOf(ports: PinDecisionPorts, organizationId: string, name: string): Promise<PinsKey> {
  await ownApp(ports, organizationId, name);
  return { organizationId, app: name };
}

/** @throws ProblemError `not_found`, also for another organization's */
async function ownApp(ports: PinDecisionPorts, organizationId: string, name: string): Promise<McpAppConfiguration> {
  const found = (await ownApps(ports, organizationId)).find((app) => app.name === name);
  if (found === undefined) throw new ProblemError("not_found", "There is no such app with pins.");
  return found;
}

async function ownApps(ports: PinDecisionPorts, organizationId: string): Promise<readonly McpAppConfiguration[]> {
  const apps: McpAppConfiguration[] = [];
  for (const app of ports.configuration().configuration.apps) {
    const isPinned = (app.type === "mcpBridge" || app.type === "mcpProxy") && app.pins !== undefined;
    if (isPinned && (await ports.organizationOf(app)) === organizationId) apps.push(app);
  }
  return apps;
}
