import { OPENID_SCOPES } from "../../config/openid-scopes.ts";
import { OAuthError } from "../errors.ts";

/**
 * The scopes that a request is about: what was asked for, as far as the client may have it. A request that names none is
 * about all that the client may have but the scopes of OpenID Connect, which ask for something else than access (RFC 6749
 * §3.3).
 *
 * @throws {OAuthError} `invalid_scope` when it is malformed, or the client may have nothing of it
 */
export function requestedScopes(asked: string | undefined, allowed: readonly string[]): readonly string[] {
  if (asked === undefined) return allowed.filter((scope) => !OPENID_SCOPES.includes(scope));
  if (!SCOPE.test(asked)) throw new OAuthError("invalid_scope", { description: "scope is malformed" });
  const wanted = new Set(asked.split(" "));
  const scopes = allowed.filter((scope) => wanted.has(scope));
  if (scopes.length > 0) return scopes;
  throw new OAuthError("invalid_scope", { description: "the client may have none of these scopes" });
}

const SCOPE = /^[\x21\x23-\x5b\x5d-\x7e]+( [\x21\x23-\x5b\x5d-\x7e]+)*$/;
