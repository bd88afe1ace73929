import type { GatewaySettings } from "../../config/settings/gateway-settings.ts";
import type { Dependencies } from "../../dependencies.ts";
import { ProblemError } from "../../problem.ts";

/**
 * The settings of this instance's gateway for somebody of an organization. They belong to the instance, and so to its first
 * organization (D32).
 * @throws ProblemError `forbidden` for any other, `not_found` where there is no gateway to set anything of
 */
export async function settingsFor(
  { stores, gatewaySettings }: Pick<Dependencies, "stores" | "gatewaySettings">,
  organizationId: string,
): Promise<GatewaySettings> {
  const first = await stores.directory.firstOrganization();
  if (first?.organizationId !== organizationId) {
    throw new ProblemError("forbidden", "The gateway's settings are for the first organization of the instance.");
  }
  if (gatewaySettings !== undefined) return gatewaySettings;
  throw new ProblemError(
    "not_found",
    "This instance has no gateway. Add `mcpProvider` with `enabled` and `transports` to its YAML configuration.",
  );
}
