import { managementAudience } from "../api-clients/audiences.ts";
import type { Configuration } from "../config/configuration.ts";
import { OAuthError } from "./errors.ts";

/** Whom a token is for. */
export interface TokenAudience {
  readonly audience: string;
  readonly kind: "management" | "resource";
}

/**
 * The audience that the `resource` parameter selects (RFC 8707 §2): the management API unless the client's record allows
 * the one asked for. Compared as strings, exactly.
 *
 * @throws {OAuthError} `invalid_target`
 */
export function selectAudience(
  resource: string | undefined,
  allowed: readonly string[],
  configuration: Pick<Configuration, "publicURL">,
): TokenAudience {
  const management = managementAudience(configuration);
  if (resource === undefined || resource === management) return { audience: management, kind: "management" };
  if (allowed.includes(resource)) return { audience: resource, kind: "resource" };
  throw new OAuthError("invalid_target", { detail: "resource is not one that the client may ask for" });
}
