import { type AppConfiguration, OPENID_SCOPES } from "../app-configuration.ts";
import type { ConnectorConfiguration, McpProviderConfiguration, OidcProviderConfiguration } from "../configuration.ts";
import { mcpEndpoints } from "../endpoints.ts";
import type { Path } from "../path.ts";
import type { ConfigurationDocument } from "../schema/document.ts";
import type { Report, Shown } from "./context.ts";
import { present } from "./context.ts";
import { providerKeys } from "./keys.ts";
import { mappedClaims } from "./oidc-apps.ts";

interface Context {
  readonly publicURL: string;
  readonly connectors: readonly ConnectorConfiguration[];
  readonly report: Report;
  readonly shown: Shown;
}

type ConfiguredEndpoints = Document["discovery"]["endpoints"];

const PATHS = {
  wellKnown: "/.well-known/openid-configuration",
  authorize: "/oauth2/authorize",
  jwks: "/oauth2/jwks",
  token: "/oauth2/token",
  introspect: "/oauth2/introspect",
  revoke: "/oauth2/revoke",
  userinfo: "/oauth2/userinfo",
  registration: "/oauth2/register",
  callback: "/oauth2/callback",
  endSession: "/oauth2/logout",
} as const;

type Document = NonNullable<ConfigurationDocument["oidcProvider"]>;

/** What clients may have that came by themselves depends on the rest of the instance (`assembleRegistration`). */
export type ProviderAlone = Omit<OidcProviderConfiguration, "registration"> & Pick<Document, "registration">;

/** The authorization server: the issuer defaults to the public URL, the endpoints to paths below the issuer. */
export async function assembleOidcProvider(
  document: ConfigurationDocument["oidcProvider"],
  context: Context,
): Promise<ProviderAlone | undefined> {
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
      ...present({ idSecret: apiClients.idSecret }),
    },
    ...(await providerKeys(document.jwks, context.report)),
    ...present({ keySecret: document.keySecret }),
    registration: document.registration,
    grantLifetime: document.grants.lifetime,
    scopeDescriptions: document.scopeDescriptions,
  };
}

/** The origin that clients know the instance by where neither a public URL nor a gateway's audience is written. */
export function issuerOrigin(document: ConfigurationDocument["oidcProvider"]): string | undefined {
  const issuer = document?.discovery.issuer;
  return issuer === undefined ? undefined : new URL(issuer).origin;
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
  { connectors, report, shown }: Context,
): OidcProviderConfiguration["endpoints"] {
  // Where no issuer is written, it is the public URL.
  const shownOrigin = shown(
    ["oidcProvider", "discovery", "issuer"],
    shown(["http", "publicURL"], new URL(issuer).origin),
  );
  const callback = others.callback ?? loginRedirect(issuer, connectors);
  const configured = { ...others, authorize: auth, callback };
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
    userinfo: url("userinfo"),
    registration: url("registration"),
    callback: url("callback"),
    endSession: url("endSession"),
  };
}

/** Where files of comparable products tell connectors to send people back to: that is the callback, unless it is written. */
function loginRedirect(issuer: string, connectors: readonly ConnectorConfiguration[]): string | undefined {
  const urls = connectors.map(({ loginRedirectURL }) => loginRedirectURL).filter((url) => url !== undefined);
  const [url, ...others] = new Set(urls.filter((one) => isPlainURLOf(new URL(issuer).origin, one)));
  return others.length === 0 ? url : undefined;
}

function isPlainURLOf(expected: string, url: string): boolean {
  const { origin, pathname, search } = new URL(url);
  return origin === expected && search === "" && /^\/[A-Za-z0-9._~/-]+$/.test(pathname);
}

type RegistrationDocument = NonNullable<ConfigurationDocument["oidcProvider"]>["registration"];

interface Instance {
  /** Names of the connectors that people can sign in at. */
  readonly signIn: readonly string[];
  readonly mcpProvider: McpProviderConfiguration | undefined;
  readonly apps: readonly AppConfiguration[];
  /** Whether the instance has, or can make, a key that signs. */
  readonly canSign: boolean;
}

/** What clients may have that came by themselves: by default what it takes to use this instance's own tools and web apps. */
export function assembleRegistration(
  {
    dynamic,
    clientIDMetadata,
    idps,
    allowedAudiences,
    scopes,
    defaultScopes,
    claimsMapping,
    accessToken,
  }: RegistrationDocument,
  { signIn, mcpProvider, apps, canSign }: Instance,
): OidcProviderConfiguration["registration"] {
  const endpoints = mcpProvider === undefined ? [] : mcpEndpoints(mcpProvider);
  const tools = apps.flatMap((app) => ("inboundTools" in app ? app.inboundTools : []));
  const bearers = apps.flatMap((app) => (app.type === "proxy" ? app.policies.map(({ bearer }) => bearer) : []));
  const programs = bearers.filter((bearer) => bearer !== undefined);
  const inbound = [...tools, ...programs].flatMap(({ scopes: needed }) => needed);
  const audiences = [...endpoints.map(({ resource }) => resource), ...programs.flatMap((bearer) => bearer.audiences)];
  return {
    dynamic,
    clientIDMetadata: clientIDMetadata ?? canSign,
    connectors: (idps ?? signIn).filter((idp) => signIn.includes(idp)),
    allowedAudiences: allowedAudiences ?? [...new Set(audiences)],
    scopes: scopes ?? [...new Set([...OPENID_SCOPES, ...inbound])],
    defaultScopes,
    claimsMapping: mappedClaims(claimsMapping),
    accessToken,
  };
}
