import type { BrowserSessionRecord } from "../../stores/directory.ts";
import type { BrowserAnswer, SignInContext } from "../authorize/context.ts";
import { beginInteraction } from "../authorize/interaction.ts";

/**
 * Sends the person on to sign out at the connector too; undefined where it has no place for that. People come back to
 * `logoutRedirectURL` only, because a connector sends nobody to an address that is not registered there.
 */
export async function connectorSignOut(
  { signIn }: BrowserSessionRecord,
  returnTo: string | undefined,
  { connectors, browser, dependencies, request }: SignInContext,
): Promise<BrowserAnswer | undefined> {
  const connector = connectors.find(({ settings }) => settings.name === signIn?.connector);
  const endpoint = (await connector?.metadata.get(request.waitUntil))?.endSessionEndpoint;
  if (connector === undefined || endpoint === undefined) return undefined;
  const url = new URL(endpoint);
  const { clientID, logoutRedirectURL } = connector.settings;
  url.searchParams.set("client_id", clientID);
  if (logoutRedirectURL === undefined) return { redirect: url.href };
  const { secret, binding } = await beginInteraction(
    { stage: "signed_out", ...(returnTo !== undefined && { returnTo }) },
    browser,
    dependencies,
  );
  url.searchParams.set("post_logout_redirect_uri", logoutRedirectURL);
  url.searchParams.set("state", secret);
  return { redirect: url.href, binding };
}
