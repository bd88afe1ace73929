import type { Passkeys } from "../../lib/stores/passkeys.ts";
import type { StateBindings } from "./env.ts";
import { registryOf } from "./objects.ts";
import { repeatedly } from "./repeat.ts";

/** Changes are asked for once: the second time they would be answered differently. */
export function cloudflarePasskeys(env: StateBindings): Passkeys {
  const registry = () => registryOf(env);
  return {
    addPasskey: async (passkey, event) => registry().addPasskey(passkey, event),
    getPasskey: (credentialId) => repeatedly(async () => registry().getPasskey(credentialId)),
    listPasskeys: (userId) => repeatedly(async () => registry().listPasskeys(userId)),
    notePasskeyUse: async (use) => registry().notePasskeyUse(use),
    removePasskey: async (userId, credentialId, event) => registry().removePasskey(userId, credentialId, event),
  };
}
