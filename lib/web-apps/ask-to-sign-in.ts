import type { Configuration } from "../config/configuration.ts";
import { knownSignInConnectors } from "../config/oauth-features.ts";
import type { WebAppConfiguration, WebPolicyConfiguration } from "../config/web-app-configuration.ts";
import { html } from "../pages/html.ts";
import { type Page, pageResponse, readerOf } from "../pages/page.ts";
import { isPageRequest, namesWebSocket } from "../protocol/http/field-names.ts";
import type { RoutePattern } from "../reverse-proxy/routes.ts";
import { type AskedFor, type AttemptPorts, beginAttempt, type Cookies, loginURL, originOf } from "./attempt.ts";

/** A request that no person and no program stands behind. */
export interface UnknownRequest {
  readonly method: string;
  readonly headers: Headers;
  readonly cookies: Cookies;
  /** The entry of `routePatterns` that led to the app. */
  readonly route: RoutePattern;
  /** Canonical path, and the query as it came: empty or with its `?`. */
  readonly path: string;
  readonly query: string;
  readonly requestId: string;
}

/**
 * The answer to a request of nobody (D203). A page goes to sign in and comes back. A script gets 401 with the address to go
 * to. A form is not sent on and not lost: its page says what to do. Nothing is written to the store.
 */
export async function askToSignIn(
  request: UnknownRequest,
  app: WebAppConfiguration,
  policy: Pick<WebPolicyConfiguration, "idps">,
  ports: AttemptPorts,
): Promise<Response> {
  const { configuration } = ports.configuration();
  const asked = askedFor(request, app, policy, configuration);
  const kind = kindOf(request);
  const refusedPage = (page: Page) => pageResponse(page, readerOf(request, configuration), CHALLENGE);
  if (asked.connectors.length === 0) return kind === "script" ? refusedScript() : refusedPage(nobodyPage(request));
  // Where such a request leads cannot be shown after signing in: its answer is no page.
  const elsewhere = { ...asked, returnTo: pageBefore(request, asked.origin) };
  if (kind === "script") return refusedScript(await loginURL(elsewhere, ports));
  if (kind === "form") return refusedPage(formPage(await loginURL(elsewhere, ports), request));
  const begun = await beginAttempt(asked, request.cookies, ports);
  return begun === undefined ? refusedPage(circlePage(request)) : sentToSignIn(begun);
}

/** The page for a browser that came back too often. */
export function circlePage({ requestId }: Pick<UnknownRequest, "requestId">): Page {
  return ({ webApps: { circle } }) => {
    const body = html`<h1>${circle.title}</h1>
<p>${circle.what}</p>
<p>${circle.advice}</p>`;
    return { title: circle.title, body, requestId, status: 401 };
  };
}

/**
 * The address that signs somebody else in and leads back to the same request: for the page of a person who may not see what
 * was asked for. Undefined where people do not sign in.
 */
export async function anotherSignIn(
  request: Pick<UnknownRequest, "route" | "path" | "query">,
  app: WebAppConfiguration,
  policy: Pick<WebPolicyConfiguration, "idps">,
  ports: AttemptPorts,
): Promise<string | undefined> {
  const asked = askedFor(request, app, policy, ports.configuration().configuration);
  return asked.connectors.length === 0 ? undefined : loginURL({ ...asked, isAnother: true }, ports);
}

type Kind = "page" | "form" | "script";

/** A form is sent by what shows pages, too. */
export function kindOf({ method, headers }: UnknownRequest): Kind {
  if (!isPageRequest("GET", headers) || namesWebSocket(headers.get("Upgrade"))) return "script";
  return method === "GET" || method === "HEAD" ? "page" : "form";
}

function askedFor(
  request: Pick<UnknownRequest, "route" | "path" | "query">,
  app: WebAppConfiguration,
  { idps }: Pick<WebPolicyConfiguration, "idps">,
  configuration: Configuration,
): AskedFor {
  return {
    app: app.name,
    origin: originOf(request.route, configuration),
    returnTo: returnPath(request),
    connectors: knownSignInConnectors(idps, configuration),
  };
}

/** The absolute address to which the person of a request comes back: the page that it asks for, or that the script or form stands in. */
export function returnURL(request: UnknownRequest, configuration: Pick<Configuration, "publicURL">): string {
  const origin = originOf(request.route, configuration);
  return origin + (kindOf(request) === "page" ? returnPath(request) : pageBefore(request, origin));
}

function returnPath({ route, path, query }: Pick<UnknownRequest, "route" | "path" | "query">): string {
  return [path + query, path].find((text) => text.length <= LONGEST_RETURN) ?? route.path;
}

/** Characters. Addresses with more do not pass every server on the way. */
const LONGEST_RETURN = 2_000;

/** The page that a script or a form stands in, if it is one below the same route; else where the route begins. */
function pageBefore({ headers, route }: UnknownRequest, origin: string): string {
  const referrer = headers.get("Referer");
  if (referrer === null || !URL.canParse(referrer)) return route.path;
  const { origin: from, pathname, search } = new URL(referrer);
  const returnTo = pathname + search;
  const isBelow = route.path === "/" || pathname === route.path || pathname.startsWith(`${route.path}/`);
  return from === origin && isBelow && returnTo.length <= LONGEST_RETURN ? returnTo : route.path;
}

function sentToSignIn({ location, cookies }: { readonly location: string; readonly cookies: readonly string[] }) {
  const headers = new Headers({ Location: location, "Cache-Control": "no-store" });
  for (const cookie of cookies) headers.append("Set-Cookie", cookie);
  return new Response(null, { status: 302, headers });
}

/** RFC 9110 §15.5.2 wants a challenge with every 401; that of RFC 6750 makes browsers show nothing. */
const CHALLENGE = { "WWW-Authenticate": "Bearer" };

function refusedScript(login?: string): Response {
  const body = JSON.stringify({ error: "login_required", ...(login !== undefined && { login }) });
  const headers = { ...CHALLENGE, "Content-Type": "application/json", "Cache-Control": "no-store" };
  return new Response(body, { status: 401, headers });
}

function formPage(login: string, { requestId }: UnknownRequest): Page {
  return ({ webApps: { form } }) => {
    const body = html`<h1>${form.title}</h1>
<p>${form.what}</p>
<p>${form.advice}</p>
<div class="actions"><a class="button primary" href="${login}" target="_blank" rel="noopener">${form.button}</a></div>`;
    return { title: form.title, body, requestId, status: 401 };
  };
}

function nobodyPage({ requestId }: UnknownRequest): Page {
  return ({ webApps: { nobody } }) => {
    const body = html`<h1>${nobody.title}</h1>
<p>${nobody.message}</p>`;
    return { title: nobody.title, body, requestId, status: 401 };
  };
}
