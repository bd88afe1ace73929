import type { AppConfiguration } from "../app-configuration.ts";
import type { McpProviderConfiguration, OidcProviderConfiguration } from "../configuration.ts";
import { mcpEndpoints } from "../mcp-endpoints.ts";
import { OPENID_SCOPES } from "../openid-scopes.ts";
import type { ConfigurationDocument } from "../schema/document.ts";

type Document = NonNullable<ConfigurationDocument["oidcProvider"]>["registration"];

interface Instance {
  /** Names of the connectors that people can sign in at. */
  readonly signIn: readonly string[];
  readonly mcpProvider: McpProviderConfiguration | undefined;
  readonly apps: readonly AppConfiguration[];
  /** Whether the instance has, or can make, a key that signs. */
  readonly canSign: boolean;
}

/** What clients may have that came by themselves: by default what it takes to use this instance's own tools. */
export function assembleRegistration(
  { dynamic, clientIDMetadata, idps, allowedAudiences, scopes, accessToken }: Document,
  { signIn, mcpProvider, apps, canSign }: Instance,
): OidcProviderConfiguration["registration"] {
  const endpoints = mcpProvider === undefined ? [] : mcpEndpoints(mcpProvider);
  const inbound = apps.flatMap((app) => (app.type === "oidc" ? [] : app.inboundTools.flatMap((tool) => tool.scopes)));
  return {
    dynamic,
    clientIDMetadata: clientIDMetadata ?? canSign,
    connectors: (idps ?? signIn).filter((idp) => signIn.includes(idp)),
    allowedAudiences: allowedAudiences ?? [...new Set(endpoints.map(({ resource }) => resource))],
    scopes: scopes ?? [...new Set([...OPENID_SCOPES, ...inbound])],
    accessToken,
  };
}
