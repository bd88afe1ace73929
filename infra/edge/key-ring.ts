import { createKeyRing } from "../../lib/authorization-server/keys/create-key-ring.ts";
import type { KeyRing } from "../../lib/authorization-server/keys/key-ring.ts";
import type { SigningCrypto } from "../../lib/authorization-server/keys/signing-crypto.ts";
import { fromBase64url } from "../../lib/kernel/encoding.ts";
import type { SigningKeys } from "../../lib/stores/signing-keys.ts";
import type { EdgeDependencies } from "./start.ts";

/** The key ring where a compiled configuration starts: its keys are encrypted with the secret of the configuration. */
export function edgeKeyRing(edge: EdgeDependencies, signingKeys: SigningKeys, crypto: SigningCrypto): KeyRing {
  const keySecret = () => {
    const configured = edge.configuration().configuration.oidcProvider?.keySecret;
    return configured === undefined ? undefined : fromBase64url(configured);
  };
  return createKeyRing({ ...edge, signingKeys, crypto, keySecret });
}
