import type { Administrator } from "../api-clients/client-event.ts";
import { type AuditEventPorts, auditEvent, byAdministrator } from "../audit/event.ts";
import { gatewayPart, withGatewayValues } from "../config/overrides/overrides.ts";
import type { GatewaySettings, SettingProblem } from "../config/settings/settings.ts";
import {
  isSameSetting,
  SETTING_NAMES,
  type SettingName,
  type SettingValues,
  settingValues,
} from "../config/settings/settings.ts";
import type { Component } from "../health/component.ts";
import { readFields } from "../kernel/fields.ts";
import { ProblemError } from "../kernel/problem.ts";
import type { AuditEvent } from "../stores/audit-log.ts";
import type { Directory } from "../stores/directory.ts";
import type { Settings, SettingsRecord } from "../stores/settings.ts";

export interface SettingsPorts extends AuditEventPorts {
  readonly stores: { readonly settings: Settings };
}

export interface SettingsChange {
  /** All that is to be set: `{<name>?: value | null}`. */
  readonly input: unknown;
  /** Absent: whatever the revision is. */
  readonly expectedRevision?: number;
}

/** Between reading and replacing somebody else may have been there so often: organizations, too, which all may change theirs. */
const ATTEMPTS = 50;

/**
 * Replaces what is set and uses it at once. Settings that are stored already are no change, unless they are refused.
 * @throws ProblemError `invalid_body`, `invalid_field` with the setting's pointer, `stale`, `conflict`
 */
export async function changeSettings(
  ports: SettingsPorts,
  gatewaySettings: GatewaySettings,
  actor: Administrator,
  { input, expectedRevision }: SettingsChange,
): Promise<SettingsRecord> {
  const values = parseSettings(input);
  const { settings } = ports.stores;
  let checked: number | undefined;
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const stored = await settings.readSettings();
    const { revision } = gatewayPart(stored);
    if (expectedRevision !== undefined && expectedRevision !== revision) throw staleSettings(revision);
    const former = settingValues(stored.values);
    // It takes long, and what organizations change meanwhile is no reason to do it again.
    if (checked !== revision) refuse(await gatewaySettings.check(values, former));
    checked = revision;
    const changed = SETTING_NAMES.filter((name) => !isSameSetting(values[name], former[name]));
    if (changed.length === 0) return stored;
    const event = settingsEvent(ports, actor, values, changed);
    const record = {
      revision: stored.revision + 1,
      values: withGatewayValues(stored, values),
      ...{ updatedAt: event.time, updatedBy: actor.id },
    };
    if (!(await settings.replaceSettings(record, event))) continue;
    await gatewaySettings.use(record);
    return record;
  }
  throw new ProblemError("conflict", "Others change the settings at the same time. Try again.");
}

function parseSettings(input: unknown): SettingValues {
  const fields = readFields(input, SETTING_NAMES);
  fields.finish();
  return settingValues(fields.object);
}

/** @throws ProblemError `invalid_field` when there is any problem */
function refuse(problems: readonly SettingProblem[]): void {
  if (problems.length === 0) return;
  const together = problems.filter(({ name }) => name === undefined).map(({ detail }) => detail);
  const fields = problems.flatMap(({ name, below = "", detail }) =>
    name === undefined ? [] : [{ pointer: `/${name}${below}`, detail }],
  );
  const detail = together.length === 0 ? "Some settings are not acceptable." : `The whole ${together.join("; ")}.`;
  throw new ProblemError("invalid_field", detail, { fields });
}

/** With the values, none of which is a secret: that OAuth was turned off must not be known by its name alone. */
function settingsEvent(
  ports: AuditEventPorts,
  actor: Administrator,
  values: SettingValues,
  changed: readonly SettingName[],
): AuditEvent {
  return auditEvent(ports, {
    type: "settings.changed",
    outcome: "success",
    organizationId: actor.organizationId,
    ...byAdministrator(actor),
    details: {
      changed: changed.join(", "),
      ...Object.fromEntries(changed.map((name) => [name, shownValue(values[name])])),
    },
  });
}

/** Characters of a value that a record has. */
const RECORDED = 2_000;

export function shownValue(value: unknown): string {
  const text = typeof value === "object" ? JSON.stringify(value) : String(value ?? "as configured");
  return text.length > RECORDED ? `${text.slice(0, RECORDED).toWellFormed()}…` : text;
}

function staleSettings(revision: number): ProblemError {
  return new ProblemError("stale", `The settings were changed meanwhile; their revision is now ${revision}.`);
}

interface SettingsAccessPorts {
  readonly stores: { readonly directory: Pick<Directory, "firstOrganization"> };
  /** Absent: the YAML document has no `mcpProvider`. */
  readonly gatewaySettings?: GatewaySettings | undefined;
}

/**
 * The settings of this instance's gateway for somebody of an organization. They belong to the instance, and so to its first
 * organization (D32).
 * @throws ProblemError `forbidden` for any other, `not_found` where there is no gateway to set anything of
 */
export async function settingsFor(
  { stores, gatewaySettings }: SettingsAccessPorts,
  organizationId: string,
): Promise<GatewaySettings> {
  const first = await stores.directory.firstOrganization();
  if (first?.organizationId !== organizationId) {
    throw new ProblemError("forbidden", "The gateway's settings are for the first organization of the instance.");
  }
  if (gatewaySettings !== undefined) return gatewaySettings;
  throw new ProblemError(
    "not_found",
    "This instance has no gateway. Add `mcpProvider` with `enabled` and `transports` to its YAML configuration.",
  );
}

/** Down while what is stored does not fit the YAML document. The looks at the store bring it up. */
export function settingsComponents(gatewaySettings: GatewaySettings | undefined): readonly Component[] {
  if (gatewaySettings === undefined) return [];
  return [
    {
      name: "gateway-settings",
      status: () => (gatewaySettings.appliedRevision() === undefined ? "down" : "up"),
      isDue: () => false,
      attempt: () => Promise.resolve(),
    },
  ];
}
