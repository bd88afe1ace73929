import type { Settings } from "../../lib/stores/settings.ts";
import type { StateBindings } from "./env.ts";
import { registryOf } from "./objects.ts";
import { repeatedly } from "./repeat.ts";

/** A change is asked for once: one whose answer is lost shows when the settings are read again. */
export function cloudflareSettings(env: StateBindings): Settings {
  return {
    readSettings: () => repeatedly(async () => registryOf(env).settings()),
    replaceSettings: async (record, event) => registryOf(env).replaceSettings(record, event),
  };
}
