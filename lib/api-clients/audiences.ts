import type { Configuration } from "../config/configuration.ts";

/** The management API as a resource: the audience of tokens that ask for no other (D10). */
export function managementAudience(configuration: Pick<Configuration, "publicURL">): string {
  return `${configuration.publicURL}/api/v1`;
}

/** Permissions an API client can hold at the management API (D10). Everything else it is granted is a tool scope. */
export const MANAGEMENT_SCOPES: readonly string[] = ["audit:read", "sessions:read", "sessions:write", "tools:read"];
