import type { ConnectorConfiguration } from "../configuration.ts";
import type { ConfigurationDocument } from "../schema/document.ts";
import { present } from "./present.ts";

/** What of the connectors is in effect; the keys of sign-in are not yet. */
export function assembleConnectors(connectors: ConfigurationDocument["connectors"]): readonly ConnectorConfiguration[] {
  return connectors.map(({ name, type, oidcWellKnownURL, oauthClientID, oauthClientSecret, tls }) => ({
    ...{ name, type, wellKnownURL: oidcWellKnownURL, clientID: oauthClientID },
    ...present({ clientSecret: oauthClientSecret, tls }),
  }));
}
