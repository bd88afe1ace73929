import type { ConnectorConfiguration, OAuthConnectorConfiguration, OAuthEndpoints } from "../configuration.ts";
import { valueAt } from "../path.ts";
import { discoveredResources } from "../rules/oauth-connectors.ts";
import type { ConfigurationDocument } from "../schema/document.ts";
import type { Report } from "./context.ts";
import { present } from "./context.ts";
import { type KeyText, privateJwk } from "./keys.ts";

type ConnectorDocument = ConfigurationDocument["connectors"][number];
type SignInDocument = Exclude<ConnectorDocument, { type: "oauth" }>;
type OAuthDocument = Extract<ConnectorDocument, { type: "oauth" }>;

const DEFAULT_SCOPES = ["openid", "profile", "email"];

/** Where people sign in, and where they connect accounts. */
export interface Connectors {
  readonly connectors: readonly ConnectorConfiguration[];
  readonly oauthConnectors: readonly OAuthConnectorConfiguration[];
}

/** The providers, with what is asked for there. */
export async function assembleConnectors(
  { connectors, apps }: Pick<ConfigurationDocument, "connectors" | "apps">,
  report: Report,
): Promise<Connectors> {
  for (const [index, { privateKey }] of connectors.entries()) {
    if (privateKey === undefined || (await canSign(privateKey))) continue;
    const accepted = "PEM (PKCS #8) or JWK of a key on P-256, or an RSA key of at least 2048 bits";
    report(["connectors", index, "privateKey"], `found no private key that can sign; accepted: ${accepted}`);
  }
  const ofAccounts = connectors.filter((connector): connector is OAuthDocument => connector.type === "oauth");
  const ofSignIn = connectors.filter((connector): connector is SignInDocument => connector.type !== "oauth");
  return {
    connectors: ofSignIn.map(assembleConnector),
    oauthConnectors: ofAccounts.map((connector) => assembleOAuthConnector(connector, { apps })),
  };
}

async function canSign(key: KeyText): Promise<boolean> {
  const read = await Promise.all([privateJwk(key, "ES256"), privateJwk(key, "RS256")]);
  return read.some((one) => "jwk" in one);
}

function assembleConnector(connector: SignInDocument): ConnectorConfiguration {
  const { name, oidcWellKnownURL, oauthClientID, oauthClientSecret, tls } = connector;
  const { disablePKCE, clientAuthentication, privateKey } = connector;
  const { enabled: offlineAccess, claimsRefresh } = connector.offlineAccess;
  return {
    ...{ name, type: "oidc" as const, wellKnownURL: oidcWellKnownURL, clientID: oauthClientID },
    ...present({ clientSecret: oauthClientSecret, tls }),
    scopes: scopesOf(connector.scopes, offlineAccess),
    ...{ disablePKCE, offlineAccess },
    ...(offlineAccess && { claimsRefresh }),
    ...present({
      loginRedirectURL: connector.oauthLoginRedirect.urls[0] ?? connector.oauthRedirectURL,
      logoutRedirectURL: connector.oauthLogoutRedirect.urls[0],
    }),
    clientAuthentication,
    ...present({ privateKey }),
  };
}

/** OpenID Connect Core §3.1.2.1: without `openid` it is no sign-in; §11: `offline_access` asks for a refresh token. */
function scopesOf(written: SignInDocument["scopes"], offlineAccess: boolean): readonly string[] {
  const scopes = typeof written === "string" ? written.split(" ").filter((scope) => scope !== "") : written;
  return [...new Set(["openid", ...(scopes ?? DEFAULT_SCOPES), ...(offlineAccess ? ["offline_access"] : [])])];
}

function assembleOAuthConnector(
  connector: OAuthDocument,
  document: Pick<ConfigurationDocument, "apps">,
): OAuthConnectorConfiguration {
  const { name, oauthClientID, oauthClientSecret, privateKey, tls } = connector;
  const { clientMetadata, authorizationParameters, disablePKCE, refresh, account } = connector;
  const byDefault = oauthClientSecret === undefined ? "none" : "client_secret_basic";
  const isNamed = oauthClientID !== undefined;
  return {
    ...{ name, type: "oauth" as const, endpoints: endpointsOf(connector, document) },
    ...present({ clientID: oauthClientID, clientSecret: oauthClientSecret }),
    ...present({ clientAuthentication: connector.clientAuthentication ?? (isNamed ? byDefault : undefined) }),
    ...present({ privateKey, tls, authorizationParameters }),
    ...{ clientMetadata, disablePKCE, refresh },
    ...(account !== undefined && {
      account: { url: account.url, id: account.id, ...present({ label: account.label }) },
    }),
  };
}

/** That all which is needed is there stands in `rules/oauth-connectors.ts`. */
function endpointsOf(connector: OAuthDocument, document: Pick<ConfigurationDocument, "apps">): OAuthEndpoints {
  const { name, authorizationURL = "", tokenURL = "", revocationURL, issuer } = connector;
  if (!connector.discover) {
    return { kind: "static", authorizationURL, tokenURL, ...present({ revocationURL, issuer }) };
  }
  const [ofApp] = discoveredResources((...path) => valueAt(document, path), name);
  return { kind: "discover", resource: connector.resource ?? String(ofApp), ...present({ issuer }) };
}
