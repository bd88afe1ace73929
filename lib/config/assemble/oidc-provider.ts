import type { OidcProviderConfiguration } from "../configuration.ts";
import type { Runtime } from "../resolve.ts";
import type { ConfigurationDocument } from "../schema/document.ts";
import type { Report } from "./http.ts";
import { publicKeys } from "./public-keys.ts";

interface Context {
  readonly publicURL: string;
  readonly runtime: Runtime;
  readonly report: Report;
}

const PATHS = {
  wellKnown: "/.well-known/openid-configuration",
  jwks: "/oauth2/jwks",
  token: "/oauth2/token",
  introspect: "/oauth2/introspect",
  revoke: "/oauth2/revoke",
} as const;

/** The authorization server: the issuer defaults to the public URL, the endpoints to paths below the issuer. */
export async function assembleOidcProvider(
  document: ConfigurationDocument["oidcProvider"],
  context: Context,
): Promise<OidcProviderConfiguration | undefined> {
  if (document === undefined) return undefined;
  const { region, assertion, apiClients, discovery } = document;
  const issuer = discovery.issuer ?? context.publicURL;
  issuerRules(issuer, context);
  idSecretRules(apiClients, context);
  return {
    issuer,
    region,
    endpoints: endpoints(issuer, discovery.endpoints, context),
    assertion,
    apiClients: {
      enabled: apiClients.enabled,
      accessTokenLifetime: apiClients.accessToken.lifetime,
      ...(apiClients.idSecret !== undefined && { idSecret: apiClients.idSecret }),
    },
    publicKeys: await publicKeys(document.jwks, context.report),
  };
}

/** RFC 8414 §2: no query and no fragment. A slash at the end would double in the endpoints and confuse comparisons. */
function issuerRules(issuer: string, { report }: Context): void {
  if (issuer.includes("?") || issuer.endsWith("/")) {
    report(["oidcProvider", "discovery", "issuer"], "found a query or a slash at the end; accepted: a URL without");
  }
}

function idSecretRules(apiClients: { readonly idSecret?: string | undefined }, { runtime, report }: Context): void {
  if (runtime === "node" || apiClients.idSecret !== undefined) return;
  const message = `required on ${runtime}; accepted: at least 32 bytes as base64url, the same in every instance of the region`;
  report(["oidcProvider", "apiClients", "idSecret"], message);
}

function endpoints(
  issuer: string,
  configured: Readonly<Partial<Record<keyof typeof PATHS, string | undefined>>>,
  { report }: Context,
): OidcProviderConfiguration["endpoints"] {
  const url = (name: keyof typeof PATHS) => {
    const endpoint = configured[name] ?? `${issuer}${PATHS[name]}`;
    const { origin, search, pathname } = new URL(endpoint);
    const path = ["oidcProvider", "discovery", "endpoints", name];
    if (origin !== new URL(issuer).origin)
      report(path, `found another origin; accepted: one of ${new URL(issuer).origin}`);
    if (search !== "" || !/^\/[A-Za-z0-9._~/-]*$/.test(pathname)) {
      report(path, "found a query or special characters; accepted: a path of letters, digits and . _ ~ - /");
    }
    return endpoint;
  };
  return {
    wellKnown: url("wellKnown"),
    jwks: url("jwks"),
    token: url("token"),
    introspect: url("introspect"),
    revoke: url("revoke"),
  };
}
