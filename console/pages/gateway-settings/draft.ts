import type { GatewaySettingsChange } from "../../../lib/management/schemas/gateway-settings.ts";
import { SETTING_NAMES, type SettingName, type Settings, type SettingValue } from "./settings.ts";

/** What is typed and not saved, by setting. `null`: back to what the configuration file has. */
export type Changes = Readonly<Partial<Record<SettingName, SettingValue | null>>>;

export interface Shown {
  readonly value: SettingValue;
  /** Whether it is set in the Console, or is to be. */
  readonly isSet: boolean;
}

/** What a setting is like with changes. */
export function shownOf(settings: Settings, changes: Changes, name: SettingName): Shown {
  const { value, origin, configured } = settings[name];
  const change = changes[name];
  if (change === undefined) return { value, isSet: origin === "console" };
  return change === null ? { value: configured, isSet: false } : { value: change, isSet: true };
}

/** The changes with another one. What would be as it is stored is no change. */
export function withChange(
  settings: Settings,
  changes: Changes,
  name: SettingName,
  change: SettingValue | null | undefined,
): Changes {
  const { [name]: _, ...others } = changes;
  return isChange(settings, name, change) ? { ...others, [name]: change } : others;
}

/** The same changes of settings that somebody else has changed meanwhile. */
export function rebased(settings: Settings, changes: Changes): Changes {
  return Object.fromEntries(
    namesOf(changes).flatMap((name) => (isChange(settings, name, changes[name]) ? [[name, changes[name]]] : [])),
  );
}

export function namesOf(changes: Changes): readonly SettingName[] {
  return SETTING_NAMES.filter((name) => changes[name] !== undefined);
}

/** Settings in which two states differ. */
export function differences(one: Settings, other: Settings): readonly SettingName[] {
  return SETTING_NAMES.filter((name) => {
    const [a, b] = [shownOf(one, {}, name), shownOf(other, {}, name)];
    return a.value !== b.value || a.isSet !== b.isSet;
  });
}

/** What is sent: all that is set in the Console with these changes. */
export function bodyOf(settings: Settings, changes: Changes): GatewaySettingsChange {
  const set = SETTING_NAMES.map((name) => [name, shownOf(settings, changes, name)] as const).filter(
    ([, { isSet }]) => isSet,
  );
  return {
    ...Object.fromEntries(set.map(([name, { value }]) => [name, typeof value === "string" ? value.trim() : value])),
    ...(settings.limits.origin === "console" && { limits: settings.limits.value }),
  };
}

function isChange(settings: Settings, name: SettingName, change: SettingValue | null | undefined): boolean {
  if (change === undefined) return false;
  const stored = shownOf(settings, {}, name);
  return change === null ? stored.isSet : change !== stored.value;
}
