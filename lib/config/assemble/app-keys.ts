import { parsePublicKey } from "../../api-clients/public-key.ts";
import { ProblemError } from "../../problem.ts";
import type { AppDocument } from "./app-documents.ts";
import type { Report } from "./http.ts";
import { keysOf } from "./oidc-apps.ts";

/** Reports the keys of `oidc` apps with which no assertion could ever be verified. */
export async function reportUnusableKeys(apps: readonly AppDocument[], report: Report): Promise<void> {
  for (const [index, app] of apps.entries()) {
    if (app.type !== "oidc") continue;
    const jwks = app.credentials?.jwks;
    const path = ["apps", index, "credentials", "jwks", ...(Array.isArray(jwks) ? [] : ["keys"])];
    for (const [entry, key] of keysOf(jwks).entries()) {
      if (!(await isUsable(key))) report([...path, entry], UNUSABLE);
    }
  }
}

async function isUsable(key: object): Promise<boolean> {
  try {
    await parsePublicKey(key);
    return true;
  } catch (error) {
    if (error instanceof ProblemError) return false;
    throw error;
  }
}

const UNUSABLE =
  "found no public key for ES256; accepted: a JWK with kty EC, crv P-256, x and y, and with alg, use and key_ops, if any, for verifying";
