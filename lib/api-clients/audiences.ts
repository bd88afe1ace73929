import type { Configuration } from "../config/configuration.ts";

/** The management API as a resource: the audience of tokens that ask for no other (D10). */
export function managementAudience(configuration: Pick<Configuration, "publicURL">): string {
  return `${configuration.publicURL}/api/v1`;
}

/** Scopes of the management API that an API client can have (D10). All its other scopes are tool scopes. */
export const MANAGEMENT_SCOPES: readonly string[] = [
  "audit:read",
  "deployments:publish",
  "sessions:read",
  "sessions:write",
  "stops:read",
  "stops:write",
  "tools:read",
];
