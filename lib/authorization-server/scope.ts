import { MANAGEMENT_SCOPES } from "../api-clients/audiences.ts";
import { OAuthError } from "../protocol/oauth/errors.ts";

/**
 * The scopes of a token: what was asked for, as far as the owner granted it for this kind of audience; everything
 * granted when nothing was asked (D10). Management permissions are useless outside the management API and tool scopes
 * inside it, so neither ever crosses.
 *
 * @param asked the `scope` parameter
 * @throws {OAuthError} `invalid_scope` when it is malformed or nothing of it is granted (RFC 6749 §5.2)
 */
export function scopesFor(
  asked: string | undefined,
  granted: readonly string[],
  audience: "management" | "resource",
): readonly string[] {
  const available = granted.filter((scope) => MANAGEMENT_SCOPES.includes(scope) === (audience === "management"));
  if (asked === undefined) return available;
  const wanted = parseScope(asked);
  const scopes = available.filter((scope) => wanted.has(scope));
  if (scopes.length === 0) throw new OAuthError("invalid_scope", { detail: "nothing of the asked scope is granted" });
  return scopes;
}

/**
 * RFC 6749 §3.3: printable tokens without `"` and `\`, one space apart.
 *
 * @throws {OAuthError} `invalid_scope`
 */
export function parseScope(text: string): ReadonlySet<string> {
  if (!SCOPE.test(text)) throw new OAuthError("invalid_scope", { detail: "scope is malformed" });
  return new Set(text.split(" "));
}

const SCOPE = /^[\x21\x23-\x5b\x5d-\x7e]+( [\x21\x23-\x5b\x5d-\x7e]+)*$/;
