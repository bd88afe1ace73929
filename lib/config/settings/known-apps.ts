import type { JsonObject } from "../../kernel/json.ts";
import { isSameSetting, type SettingValues } from "./settings.ts";

/** What limits say of apps that are no more, and the settings without it. */
export interface WithoutUnknownApps {
  readonly values: SettingValues;
  /** Each limit once, by its name, with the apps that the configuration file does not have. */
  readonly unknown: readonly { readonly limit: string; readonly apps: readonly string[] }[];
}

/**
 * Limits that are stored may be about an app that the file no longer has: they match nothing of it, and are no reason to
 * serve no gateway. What stays of `for.app` is what is known; a limit about nothing else is left out.
 * @param former settings that were accepted once; limits that are not among them are left as they are
 */
export function withoutUnknownApps(
  values: SettingValues,
  former: SettingValues,
  known: ReadonlySet<string>,
): WithoutUnknownApps {
  const { limits } = values;
  if (!Array.isArray(limits)) return { values, unknown: [] };
  const accepted: readonly unknown[] = Array.isArray(former.limits) ? former.limits : [];
  const unknown: WithoutUnknownApps["unknown"][number][] = [];
  const kept = limits.flatMap((limit: unknown): readonly unknown[] => {
    const apps = appsOf(limit);
    const missing = apps.filter((app) => !known.has(app));
    if (missing.length === 0 || !accepted.some((one) => isSameSetting(one, limit))) return [limit];
    const { name, for: about, ...others } = limit as JsonObject;
    unknown.push({ limit: String(name), apps: missing });
    if (missing.length === apps.length) return [];
    return [{ name, ...others, for: { ...(about as JsonObject), app: apps.filter((app) => known.has(app)) } }];
  });
  return { values: unknown.length === 0 ? values : { ...values, limits: kept }, unknown };
}

/** What a limit is about, where it is about apps. */
export function appsOf(limit: unknown): readonly string[] {
  const app = (limit as { readonly for?: { readonly app?: unknown } } | null)?.for?.app;
  const apps: readonly unknown[] = Array.isArray(app) ? app : [app];
  return apps.filter((one) => typeof one === "string");
}
