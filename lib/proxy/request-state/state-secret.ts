import type { Configuration } from "../../config/configuration.ts";
import type { Dependencies } from "../../dependencies.ts";
import { fromBase64url } from "../../encoding.ts";

/** The instance's, or that of a gateway which the Console alone has enabled (D130). */
export function stateSecretOf({
  stateSecret,
  configuration,
}: Pick<Dependencies, "stateSecret" | "configuration">): Uint8Array<ArrayBuffer> | undefined {
  return stateSecret ?? configuredStateSecret(configuration().configuration);
}

/** What every instance of a deployment seals states with: its own secret, or that of client ids; undefined where neither is configured. */
export function configuredStateSecret({
  mcpProvider,
  oidcProvider,
}: Pick<Configuration, "mcpProvider" | "oidcProvider">): Uint8Array<ArrayBuffer> | undefined {
  const configured = mcpProvider?.stateSecret ?? oidcProvider?.apiClients.idSecret;
  return configured === undefined ? undefined : fromBase64url(configured);
}
