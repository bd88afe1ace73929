import type { Configuration } from "../config/configuration.ts";
import type { WebAppConfiguration } from "../config/web-app-configuration.ts";
import type { ApplicationSession } from "../directory/browser-sessions.ts";
import { endSignedOut, type SignOutPorts } from "../directory/ended-session.ts";
import { html } from "../pages/html.ts";
import { type Page, pageResponse, readerOf } from "../pages/page.ts";
import { isPageRequest } from "../protocol/http/field-names.ts";
import type { RequestContext } from "../telemetry/request-context.ts";
import type { CallerPorts } from "./caller.ts";
import { type WebRefusal, webRefusal } from "./refusal.ts";
import type { WebRequest } from "./web-apps.ts";

export interface LogoutPorts extends SignOutPorts {
  readonly publicURL: URL;
  readonly knownSessions: CallerPorts["knownSessions"] & SignOutPorts["knownSessions"];
  readonly organizationOf: CallerPorts["organizationOf"];
}

/** What a request for the logout path of an app comes to. Undefined: it ends no session, and is a request like others. */
export type Leaving =
  /** The session has ended, and this last request is still its person's. */
  | { readonly kind: "ended"; readonly session: ApplicationSession }
  /** Another site's link: the person is asked. */
  | { readonly kind: "asked"; readonly response: Response }
  | { readonly kind: "refused"; readonly refusal: WebRefusal }
  | undefined;

/**
 * Signs the person out who asks for the logout path of an app. Browsers bring the session's cookie along with links of every site, and
 * with whatever pages of hosts of the same domain load; only the app itself, what the person types, and origins that the app names may
 * end it at once (Fetch Metadata `Sec-Fetch-Site`). From elsewhere a page is asked about first, and everything else is refused, as
 * nobody is to believe that they are signed out when they are not.
 *
 * @throws StoreUnavailableError
 */
export async function leaveAtLogoutPath(
  app: WebAppConfiguration,
  asked: WebRequest,
  context: RequestContext,
  ports: LogoutPorts,
): Promise<Leaving> {
  if (!isLogout(app, asked)) return undefined;
  const { configuration } = ports.configuration();
  const { cookieName } = configuration.session;
  const cookie = Object.hasOwn(asked.cookies, cookieName) ? asked.cookies[cookieName] : undefined;
  const { hostname } = new URL(`http://${asked.host}`);
  const session = cookie === undefined ? undefined : await ports.knownSessions.resume(cookie, hostname);
  if (session === undefined) return undefined;
  if (isAhead(asked.request) || isFromElsewhere(app, asked, ports)) {
    if (!isPageRequest(asked.request.method, asked.request.headers) || isAhead(asked.request)) return REFUSED;
    return { kind: "asked", response: pageResponse(askPage(asked, context), readerOf(asked.request, configuration)) };
  }
  const organizationId = await ports.organizationOf(app);
  await endSignedOut(session, { app: app.name, organizationId, requestId: context.requestId }, ports);
  // Nothing is renewed any more of what is gone from the store.
  const { renewals: _, ...last } = session;
  return { kind: "ended", session: last };
}

/** Whether a request for the logout path that nobody is known for is answered by a page: nobody signs in to sign out. */
export function signedOutPage(
  app: WebAppConfiguration,
  asked: WebRequest,
  { requestId }: RequestContext,
  configuration: Pick<Configuration, "branding">,
): Response | undefined {
  if (!isLogout(app, asked) || !isPageRequest(asked.request.method, asked.request.headers)) return undefined;
  const page: Page = ({ webApps: { signedOut } }) => {
    const body = html`<h1>${signedOut.title}</h1>
<p>${signedOut.message(html`<bdi>${app.name}</bdi>`)}</p>`;
    return { title: signedOut.title, body, requestId };
  };
  return pageResponse(page, readerOf(asked.request, configuration));
}

/** Asking about a path, and asking whether one may ask, ends nothing. */
const ASKING_ABOUT = ["HEAD", "OPTIONS"];

function isLogout({ logoutPath }: WebAppConfiguration, { path, request }: WebRequest): boolean {
  return logoutPath !== undefined && path === logoutPath && !ASKING_ABOUT.includes(request.method);
}

/** A browser fetches what a person may open next. */
function isAhead({ headers }: Request): boolean {
  return (headers.get("sec-purpose") ?? "").includes("prefetch");
}

/** Whether a page of another origin, and none that the app's `cors` names, had the browser ask (Fetch Metadata; RFC 6454). */
export function isFromElsewhere(
  { allowedOrigins }: Pick<WebAppConfiguration, "allowedOrigins">,
  { request: { headers }, host }: Pick<WebRequest, "request" | "host">,
  { publicURL }: Pick<LogoutPorts, "publicURL">,
): boolean {
  const origin = headers.get("origin");
  if (origin !== null && allowedOrigins.includes(origin)) return false;
  const site = headers.get("sec-fetch-site");
  if (site !== null) return site !== "same-origin" && site !== "none";
  // Programs and browsers of long ago.
  return origin !== null && origin !== `${publicURL.protocol}//${host}`;
}

const REFUSED: Leaving = {
  kind: "refused",
  refusal: webRefusal("forbidden", ({ foreignSignOut }) => foreignSignOut),
};

/** The link leads to the very address that was asked for, from a page of the app's origin. */
function askPage({ path, query }: WebRequest, { requestId }: RequestContext): Page {
  return ({ webApps: { signOut } }) => {
    const body = html`<h1>${signOut.title}</h1>
<p>${signOut.message}</p>
<div class="actions"><a class="button primary" href="${path}${query}">${signOut.button}</a></div>`;
    return { title: signOut.title, body, requestId };
  };
}
