import type { OidcProviderConfiguration } from "../configuration.ts";
import type { Path } from "../path.ts";
import type { ConfigurationDocument } from "../schema/document.ts";
import type { Report, Shown } from "./http.ts";
import { publicKeys } from "./public-keys.ts";

interface Context {
  readonly publicURL: string;
  readonly report: Report;
  readonly shown: Shown;
}

type ConfiguredEndpoints = NonNullable<ConfigurationDocument["oidcProvider"]>["discovery"]["endpoints"];

const PATHS = {
  wellKnown: "/.well-known/openid-configuration",
  authorize: "/oauth2/authorize",
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

/** The key that moves an endpoint. */
export function endpointKey(name: keyof typeof PATHS): Path {
  return ["oidcProvider", "discovery", "endpoints", name === "authorize" ? "auth" : name];
}

/** RFC 8414 §2: no query and no fragment. A slash at the end would double in the endpoints and confuse comparisons. */
function issuerRules(issuer: string, { report }: Context): void {
  if (issuer.includes("?") || issuer.endsWith("/")) {
    report(["oidcProvider", "discovery", "issuer"], "found a query or a slash at the end; accepted: a URL without");
  }
}

function endpoints(
  issuer: string,
  { auth, ...others }: ConfiguredEndpoints,
  { report, shown }: Context,
): OidcProviderConfiguration["endpoints"] {
  // Where no issuer is written, it is the public URL.
  const shownOrigin = shown(
    ["oidcProvider", "discovery", "issuer"],
    shown(["http", "publicURL"], new URL(issuer).origin),
  );
  const configured = { ...others, authorize: auth };
  const url = (name: keyof typeof PATHS) => {
    const endpoint = configured[name] ?? `${issuer}${PATHS[name]}`;
    const { origin, search, pathname } = new URL(endpoint);
    const path = endpointKey(name);
    if (origin !== new URL(issuer).origin) report(path, `found another origin; accepted: one of ${shownOrigin}`);
    if (search !== "" || !/^\/[A-Za-z0-9._~/-]*$/.test(pathname)) {
      report(path, "found a query or special characters; accepted: a path of letters, digits and . _ ~ - /");
    }
    return endpoint;
  };
  return {
    wellKnown: url("wellKnown"),
    authorize: url("authorize"),
    jwks: url("jwks"),
    token: url("token"),
    introspect: url("introspect"),
    revoke: url("revoke"),
  };
}
