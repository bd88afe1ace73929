import { resumeBrowserSession } from "../../directory/browser-sessions.ts";
import type { OAuthClient } from "../clients/client.ts";
import { isSameIssuer, issuerFromWellKnown } from "../issuer.ts";
import type { SignInContext } from "./context.ts";
import type { ConnectorSession } from "./next-step.ts";

/** The browser's session, if its person signed in through a connector that this client allows, as that one is now. */
export async function knownSession(
  client: Pick<OAuthClient, "connectors">,
  { dependencies, connectors, browser }: SignInContext,
): Promise<ConnectorSession | undefined> {
  if (browser.session === undefined) return undefined;
  const session = await resumeBrowserSession(dependencies, browser.session);
  if (session === undefined || !client.connectors.includes(session.signIn.connector)) return undefined;
  const { connector: name, issuer } = session.signIn;
  const connector = connectors.find(({ settings }) => settings.name === name);
  const expected = connector && issuerFromWellKnown(connector.settings.wellKnownURL);
  // Another provider took over the name: who was known to the former one is not known to it.
  if (expected === undefined || !isSameIssuer(expected, issuer)) return undefined;
  return session;
}
