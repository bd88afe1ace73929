import type { McpAppConfiguration } from "../config/app-configuration.ts";
import type { Directory } from "../stores/directory.ts";

/** The organization that owns an app's records: the configured one, else the instance's first (D32). */
export type OrganizationOf = (app: Pick<McpAppConfiguration, "organization">) => Promise<string | undefined>;

/** The first organization never changes once there is one, so it is read until then and kept. */
export function createOrganizationOf({
  stores,
}: {
  readonly stores: { readonly directory: Pick<Directory, "firstOrganization"> };
}): OrganizationOf {
  let first: string | undefined;
  return async ({ organization }) => {
    if (organization !== undefined) return organization;
    first ??= (await stores.directory.firstOrganization())?.organizationId;
    return first;
  };
}
