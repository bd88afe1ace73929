import type { Administrator } from "../../api-clients/client-event.ts";
import { auditEvent } from "../../audit/event.ts";
import type { SettingProblem } from "../../config/settings/blame.ts";
import type { GatewaySettings } from "../../config/settings/gateway-settings.ts";
import { SETTING_NAMES, type SettingName, type SettingValues, settingValues } from "../../config/settings/settings.ts";
import type { Dependencies } from "../../dependencies.ts";
import { readFields } from "../../fields.ts";
import { ProblemError } from "../../problem.ts";
import type { AuditEvent } from "../../stores/audit-log.ts";
import type { SettingsRecord } from "../../stores/settings.ts";

export interface SettingsChange {
  /** All that is to be set: `{<name>?: value | null}`. */
  readonly input: unknown;
  /** Absent: whatever the revision is. */
  readonly expectedRevision?: number;
}

/** Between reading and replacing somebody else may have been there so often. */
const ATTEMPTS = 5;

/**
 * Replaces what is set and uses it at once. Settings that are stored already are no change, unless they are refused.
 * @throws ProblemError `invalid_body`, `invalid_field` with the setting's pointer, `stale`, `conflict`
 */
export async function changeSettings(
  dependencies: Dependencies,
  gatewaySettings: GatewaySettings,
  actor: Administrator,
  { input, expectedRevision }: SettingsChange,
): Promise<SettingsRecord> {
  const values = parseSettings(input);
  const { settings } = dependencies.stores;
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const stored = await settings.readSettings();
    if (expectedRevision !== undefined && expectedRevision !== stored.revision) throw staleSettings(stored.revision);
    const former = settingValues(stored.values);
    refuse(await gatewaySettings.check(values, former));
    const changed = SETTING_NAMES.filter((name) => values[name] !== former[name]);
    if (changed.length === 0) return stored;
    const event = settingsEvent(dependencies, actor, values, changed);
    const record = { revision: stored.revision + 1, values, updatedAt: event.time, updatedBy: actor.id };
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
  const fields = problems.flatMap(({ name, detail }) => (name === undefined ? [] : [{ pointer: `/${name}`, detail }]));
  const detail = together.length === 0 ? "Some settings are not acceptable." : `The whole ${together.join("; ")}.`;
  throw new ProblemError("invalid_field", detail, { fields });
}

/** With the values, none of which is a secret: that OAuth was turned off must not be known by its name alone. */
function settingsEvent(
  dependencies: Dependencies,
  { id, organizationId, requestId }: Administrator,
  values: SettingValues,
  changed: readonly SettingName[],
): AuditEvent {
  return auditEvent(dependencies, {
    type: "settings.changed",
    outcome: "success",
    organizationId,
    actor: id,
    ...(requestId !== undefined && { requestId }),
    details: {
      changed: changed.join(", "),
      ...Object.fromEntries(changed.map((name) => [name, String(values[name] ?? "as configured")])),
    },
  });
}

function staleSettings(revision: number): ProblemError {
  return new ProblemError("stale", `The settings were changed meanwhile; their revision is now ${revision}.`);
}
