import type { ConnectorConfiguration } from "../configuration.ts";
import type { ConfigurationDocument } from "../schema/document.ts";
import type { Report } from "./context.ts";
import { present } from "./context.ts";
import { type KeyText, privateJwk } from "./keys.ts";

type ConnectorDocument = ConfigurationDocument["connectors"][number];

const DEFAULT_SCOPES = ["openid", "profile", "email"];

/** The identity providers, with what sign-in there asks for. */
export async function assembleConnectors(
  connectors: readonly ConnectorDocument[],
  report: Report,
): Promise<readonly ConnectorConfiguration[]> {
  for (const [index, { privateKey }] of connectors.entries()) {
    if (privateKey === undefined || (await canSign(privateKey))) continue;
    const accepted = "PEM (PKCS #8) or JWK of a key on P-256, or an RSA key of at least 2048 bits";
    report(["connectors", index, "privateKey"], `found no private key that can sign; accepted: ${accepted}`);
  }
  return connectors.map(assembleConnector);
}

async function canSign(key: KeyText): Promise<boolean> {
  const read = await Promise.all([privateJwk(key, "ES256"), privateJwk(key, "RS256")]);
  return read.some((one) => "jwk" in one);
}

function assembleConnector(connector: ConnectorDocument): ConnectorConfiguration {
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
function scopesOf(written: ConnectorDocument["scopes"], offlineAccess: boolean): readonly string[] {
  const scopes = typeof written === "string" ? written.split(" ").filter((scope) => scope !== "") : written;
  return [...new Set(["openid", ...(scopes ?? DEFAULT_SCOPES), ...(offlineAccess ? ["offline_access"] : [])])];
}
