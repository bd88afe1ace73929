import type { Connector } from "../connectors/connectors.ts";
import { html } from "../pages/html.ts";
import type { Page } from "../pages/page.ts";
import { beginInteraction } from "./authorize/interaction.ts";
import type { BrowserAnswer, BrowserContext } from "./authorize/sign-in-context.ts";

/**
 * Sends a person to sign out at connectors, one after the other; undefined if none of them has an endpoint for that (OpenID Connect
 * RP-Initiated Logout 1.0 §2.1). People come back from those with a `logoutRedirectURL` only, because a provider redirects only to
 * URLs that are registered there: these come first. From the last one people do not come back, and where there are several of this
 * kind a page of ours has their links.
 *
 * @param names of connectors
 * @param returnTo where to go at the end; checked already
 */
export async function signOutAtConnectors(
  names: readonly string[],
  returnTo: string | undefined,
  context: BrowserContext,
): Promise<BrowserAnswer | undefined> {
  const all = await Promise.all([...new Set(names)].map((name) => knownEnd(name, context)));
  const ends = all.filter((end) => end !== undefined);
  const [next, ...others] = ends.filter(({ redirectURL }) => redirectURL !== undefined);
  const last = ends.filter(({ redirectURL }) => redirectURL === undefined);
  if (next?.redirectURL !== undefined) return visit(next, [...others, ...last], returnTo, context);
  const [only, ...more] = last;
  if (only === undefined) return undefined;
  return more.length === 0 ? { redirect: addressOf(only).href } : linksPage(last, returnTo, context);
}

/** Where people sign out at a connector. */
interface ConnectorEnd {
  readonly settings: Connector["settings"];
  readonly endpoint: string;
  /** Where they come back. */
  readonly redirectURL: string | undefined;
}

async function knownEnd(name: string, { connectors, request }: BrowserContext): Promise<ConnectorEnd | undefined> {
  const connector = connectors.find(({ settings }) => settings.name === name);
  const endpoint = (await connector?.metadata.get(request.waitUntil))?.endSessionEndpoint;
  if (connector === undefined || endpoint === undefined) return undefined;
  const { settings } = connector;
  return { settings, endpoint, redirectURL: settings.logoutRedirectURL };
}

async function visit(
  end: ConnectorEnd,
  others: readonly ConnectorEnd[],
  returnTo: string | undefined,
  { browser, dependencies }: BrowserContext,
): Promise<BrowserAnswer> {
  const { secret, binding } = await beginInteraction(
    {
      stage: "signed_out",
      ...(returnTo !== undefined && { returnTo }),
      ...(others.length > 0 && { remaining: others.map(({ settings }) => settings.name) }),
    },
    browser,
    dependencies,
  );
  const url = addressOf(end);
  url.searchParams.set("post_logout_redirect_uri", end.redirectURL ?? "");
  url.searchParams.set("state", secret);
  return { redirect: url.href, binding };
}

function addressOf({ endpoint, settings }: ConnectorEnd): URL {
  const url = new URL(endpoint);
  url.searchParams.set("client_id", settings.clientID);
  return url;
}

function linksPage(
  ends: readonly ConnectorEnd[],
  returnTo: string | undefined,
  { request }: BrowserContext,
): BrowserAnswer {
  const page: Page = ({ signOut }) => {
    const links = ends.map(
      (end) =>
        html`<li><a href="${addressOf(end).href}" target="_blank" rel="noopener">${signOut.atProvider(end.settings.name)}</a></li>`,
    );
    const body = html`<h1>${signOut.doneHere}</h1>
<p>${signOut.providers}</p>
<ul>${links}</ul>
${returnTo === undefined ? undefined : html`<div class="actions"><a class="button primary" href="${returnTo}">${signOut.goOn}</a></div>`}`;
    return { title: signOut.doneHere, body, requestId: request.requestId };
  };
  return { page };
}
