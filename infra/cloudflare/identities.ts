import type { Identities } from "../../lib/stores/identities.ts";
import type { StateBindings } from "./env.ts";
import { registryOf } from "./objects.ts";
import { repeatedly } from "./repeat.ts";

/** Changes are asked for once: the second time they would be answered differently. */
export function cloudflareIdentities(env: StateBindings): Identities {
  const registry = () => registryOf(env);
  return {
    linkIdentity: async (identity, event) => registry().linkIdentity(identity, event),
    findIdentity: (key) => repeatedly(async () => registry().findIdentity(key)),
    listIdentities: (userId) => repeatedly(async () => registry().listIdentities(userId)),
    unlinkIdentity: async (userId, key, event) => registry().unlinkIdentity(userId, key, event),
  };
}
