import { sha256base64url } from "../encoding.ts";
import { equalSecrets } from "../secrets/equal-secrets.ts";
import { type Form, requiredParameter } from "./form.ts";
import { invalidRequest } from "./refusals.ts";

/**
 * The `code_verifier` (RFC 7636 §4.1).
 *
 * @throws {OAuthError} `invalid_request` when it is missing or malformed
 */
export function verifierOf(form: Form): string {
  const verifier = requiredParameter(form, "code_verifier");
  if (VERIFIER.test(verifier)) return verifier;
  throw invalidRequest("code_verifier is not 43 to 128 unreserved characters");
}

/** Whether it is the one that the challenge was made of, by S256 (RFC 7636 §4.6). */
export function proves(verifier: string, challenge: string): boolean {
  return equalSecrets(sha256base64url(verifier), challenge);
}

const VERIFIER = /^[A-Za-z0-9\-._~]{43,128}$/;
