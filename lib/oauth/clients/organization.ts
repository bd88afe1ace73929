import type { Dependencies } from "../../dependencies.ts";
import type { OAuthClient } from "./client.ts";

/** The organization that owns what a client does: the configured one, else the instance's first (D32). */
export async function organizationOf(
  { organization }: Pick<OAuthClient, "organization">,
  { stores }: Pick<Dependencies, "stores">,
): Promise<string | undefined> {
  return organization ?? (await stores.directory.firstOrganization())?.organizationId;
}
