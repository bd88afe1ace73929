import type { Administrator } from "../api-clients/client-event.ts";
import { auditEvent, byAdministrator } from "../audit/event.ts";
import {
  OVERRIDE_KINDS,
  type OverrideValues,
  overridesOf,
  type StoredOverrides,
  withOverridesOf,
} from "../config/overrides/overrides.ts";
import { type GatewaySettings, isSameSetting } from "../config/settings/settings.ts";
import type { Clock } from "../kernel/clock.ts";
import { readFields } from "../kernel/fields.ts";
import { type CellRate, cellsLeft, cellsTaken } from "../kernel/gcra.ts";
import { ProblemError } from "../kernel/problem.ts";
import type { Directory } from "../stores/directory.ts";
import type { SettingsRecord } from "../stores/settings.ts";
import { type SettingsChange, type SettingsPorts, shownValue } from "./settings.ts";

interface OverridesPorts extends SettingsPorts {
  readonly clock: Clock;
  readonly stores: SettingsPorts["stores"] & { readonly directory: Pick<Directory, "firstOrganization"> };
}

/** Between reading and replacing other organizations may have been there so often. */
const ATTEMPTS = 10;
/** Each change is taken over by every instance. */
const CHANGES: CellRate = { quota: 30, period: 60_000, burst: 30 };
/** Mappings and lists inside of each other. */
const DEEPEST = 8;
/** Bytes of what an organization sets, as JSON. */
const LONGEST = 8_192;
/** Of what all set together: a store keeps them in one record. */
const LONGEST_OF_ALL = 65_536;

/**
 * Replaces what an organization has set and uses it at once. What is stored already is no change, unless it is refused.
 * @throws ProblemError `invalid_body`, `invalid_field` with pointers, `stale`, `conflict`, `too_many_requests`
 */
export async function changeOverrides(
  ports: OverridesPorts,
  gatewaySettings: GatewaySettings,
  actor: Administrator,
  { input, expectedRevision }: SettingsChange,
): Promise<SettingsRecord> {
  const { organizationId } = actor;
  // Before anything is looked at, which costs time also where nothing is changed.
  if (!gatewaySettings.overrides.takeAttempt(organizationId)) throw tooOften();
  const values = parseOverrides(input);
  const { settings, directory } = ports.stores;
  const isFirst = (await directory.firstOrganization())?.organizationId === organizationId;
  refuse(gatewaySettings, values, { organizationId, isFirst });
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const stored = await settings.readSettings();
    const former = overridesOf(stored, organizationId);
    if (expectedRevision !== undefined && expectedRevision !== former.revision) throw stale(former.revision);
    const changed = OVERRIDE_KINDS.filter((kind) => !isSameSetting(values[kind], former.values[kind]));
    if (changed.length === 0) return stored;
    const event = auditEvent(ports, {
      type: "overrides.changed",
      outcome: "success",
      organizationId,
      ...byAdministrator(actor),
      details: {
        changed: changed.join(", "),
        ...Object.fromEntries(changed.map((kind) => [kind, shownValue(values[kind])])),
      },
    });
    const change = { updatedAt: event.time, updatedBy: actor.id };
    const revision = stored.revision + 1;
    const next: StoredOverrides = { revision, isFirst, values, fullAt: taken(former, event.time), ...change };
    const record = { revision, values: withOverridesOf(stored, organizationId, next), ...change };
    if (lengthOf(record.values.organizations) > LONGEST_OF_ALL) throw tooMuch();
    if (!(await settings.replaceSettings(record, event))) continue;
    await gatewaySettings.use(record);
    return record;
  }
  throw new ProblemError("conflict", "Other organizations change theirs at the same time. Try again.");
}

/** An empty list is as none. */
function parseOverrides(input: unknown): OverrideValues {
  const fields = readFields(input, OVERRIDE_KINDS);
  fields.finish();
  const set = OVERRIDE_KINDS.filter((kind) => {
    const value = fields.object[kind] ?? [];
    return !(Array.isArray(value) && value.length === 0);
  });
  const values = Object.fromEntries(set.map((kind) => [kind, fields.object[kind]])) as OverrideValues;
  const deep = set.filter((kind) => isDeeperThan(DEEPEST, values[kind]));
  if (deep.length > 0) {
    const fields = deep.map((kind) => ({ pointer: `/${kind}`, detail: "is nested too deeply" }));
    throw new ProblemError("invalid_field", "Some overrides are not acceptable.", { fields });
  }
  const length = lengthOf(values);
  if (length <= LONGEST) return values;
  const detail = `An organization sets at most ${LONGEST} bytes of JSON; these are ${length}.`;
  throw new ProblemError("invalid_field", detail, { fields: [{ pointer: "", detail: "is too long" }] });
}

function refuse(
  { overrides }: Pick<GatewaySettings, "overrides">,
  values: OverrideValues,
  organization: Parameters<GatewaySettings["overrides"]["check"]>[1],
): void {
  const problems = overrides.check(values, organization);
  if (problems.length === 0) return;
  const fields = problems.map(({ path, message }) => ({ pointer: pointerTo(path), detail: message }));
  throw new ProblemError("invalid_field", "Some overrides are not acceptable.", { fields });
}

/** A JSON Pointer (RFC 6901). */
export function pointerTo(path: readonly (string | number)[]): string {
  return path.map((step) => `/${String(step).replaceAll("~", "~0").replaceAll("/", "~1")}`).join("");
}

function isDeeperThan(levels: number, value: unknown): boolean {
  if (typeof value !== "object" || value === null) return false;
  return levels === 0 || Object.values(value).some((member) => isDeeperThan(levels - 1, member));
}

function lengthOf(value: unknown): number {
  return new TextEncoder().encode(JSON.stringify(value)).byteLength;
}

function taken({ fullAt }: StoredOverrides, now: number): number {
  if (cellsLeft(fullAt, CHANGES, now) >= 1) return cellsTaken(fullAt, 1, CHANGES, now);
  throw tooOften();
}

function tooOften(): ProblemError {
  const detail = `An organization changes its overrides, or tries to, ${CHANGES.quota} times a minute. Try again a little later.`;
  return new ProblemError("too_many_requests", detail);
}

function stale(revision: number): ProblemError {
  return new ProblemError("stale", `The overrides were changed meanwhile; their revision is now ${revision}.`);
}

function tooMuch(): ProblemError {
  const detail = `The organizations of this instance have set ${LONGEST_OF_ALL} bytes together, which is the most.`;
  return new ProblemError("conflict", `${detail} Make yours shorter, or ask its operator.`);
}

/** @throws ProblemError `not_found` where there is no gateway, so that there is nothing to override */
export function overridable(gatewaySettings: GatewaySettings | undefined): GatewaySettings {
  if (gatewaySettings !== undefined) return gatewaySettings;
  throw new ProblemError("not_found", "This instance has no gateway, so that there is nothing to override.");
}
