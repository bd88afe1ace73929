import { sha256base64url } from "#sha256";
import type { SingleLogoutConfiguration } from "../config/configuration.ts";
import { INTERACTION } from "../config/endpoints.ts";
import { type ApplicationSession, resumeBrowserSession, signInsOf } from "../directory/browser-sessions.ts";
import { endSignedOut } from "../directory/ended-session.ts";
import { isSecretText } from "../kernel/secret-text.ts";
import { html } from "../pages/html.ts";
import { languageOfLocales } from "../pages/language.ts";
import type { Page } from "../pages/page.ts";
import { PageError } from "../pages/page-error.ts";
import { isLoopbackRedirect, isRegisteredRedirect } from "../protocol/oauth/redirect-url.ts";
import { personId } from "../stores/identities.ts";
import { beginInteraction, findInteraction, finishInteraction } from "./authorize/interaction.ts";
import type { BrowserAnswer, BrowserContext } from "./authorize/sign-in-context.ts";
import type { OAuthClient } from "./clients/client.ts";
import { findClient, organizationOf } from "./clients/find-client.ts";
import { signOutAtConnectors } from "./connector-sign-out.ts";
import type { Form } from "./form.ts";
import { type IdTokenHint, readIdTokenHint } from "./openid/id-token.ts";
import type { AuthorizationServerPorts } from "./ports.ts";

/**
 * Signs the person of the browser out (OpenID Connect RP-Initiated Logout 1.0). This happens at once if the client presents an
 * ID token of the person, and otherwise after a confirmation page. A connector may send people back here, too. A mere link
 * redirects nobody to a client that anybody can register (RFC 9700 §4.11.2).
 *
 * @throws {PageError}
 */
export async function signOut(form: Form, context: BrowserContext): Promise<BrowserAnswer> {
  if (await isBackFromConnector(form, context)) return returnFromConnector(form, context);
  askForLanguage(form, context);
  const { userId, returnTo, isAnybodys } = await readSignOutRequest(form, context.dependencies);
  const session = await currentSession(context);
  if (session !== undefined && isOfPerson(session, userId)) return endSession(session, returnTo, context);
  const trusted = isAnybodys ? undefined : returnTo;
  return session === undefined ? done(trusted, context) : askToConfirm(trusted, context.endpoints.endSession, context);
}

/**
 * Signs the person of the browser out here and at every connector of their session, then leads to the address of the configuration.
 * Any site may link here, so nothing happens without an ID token of the person or a click on our page.
 *
 * @throws {PageError}
 */
export async function signOutEverywhere(
  form: Form,
  { url, redirectURL }: SingleLogoutConfiguration,
  context: BrowserContext,
): Promise<BrowserAnswer> {
  if (await isBackFromConnector(form, context)) return returnFromConnector(form, context);
  askForLanguage(form, context);
  const hint = await readHint(form.get("id_token_hint"), context.dependencies);
  const session = await currentSession(context);
  if (session === undefined) return done(redirectURL, context);
  const isShown = isOfPerson(session, hint?.userId);
  return isShown ? endSession(session, redirectURL, context) : askToConfirm(redirectURL, url, context);
}

/** Clients may say which languages the person reads (§2). */
function askForLanguage(form: Form, { browser }: BrowserContext): void {
  browser.language.ask(languageOfLocales(form.get("ui_locales")));
}

/** A client knows its person by the account at its connector, whichever of the session's that is. */
function isOfPerson(session: ApplicationSession, userId: string | undefined): boolean {
  return signInsOf(session).some((signIn) => personId(signIn) === userId);
}

/** Answers people whom a connector sends back after signing out, if that has a URL of its own. */
export async function signedOut(form: Form, context: BrowserContext): Promise<BrowserAnswer> {
  return (await isBackFromConnector(form, context)) ? returnFromConnector(form, context) : done(undefined, context);
}

/** The person confirmed it on our page. @throws {PageError} the page is over */
export async function confirmSignOut(form: Form, context: BrowserContext): Promise<BrowserAnswer> {
  const { dependencies, browser } = context;
  const found = await findInteraction(form.get(INTERACTION), ["sign_out"], browser, dependencies);
  await finishInteraction(found, dependencies);
  const session = await currentSession(context);
  const { returnTo } = found.interaction;
  return session === undefined ? done(returnTo, context) : endSession(session, returnTo, context);
}

async function currentSession({ browser, dependencies }: BrowserContext): Promise<ApplicationSession | undefined> {
  return browser.session === undefined ? undefined : resumeBrowserSession(dependencies, browser.session);
}

/** The session here ends first, so that no connector can prevent that. */
async function endSession(
  session: ApplicationSession,
  returnTo: string | undefined,
  context: BrowserContext,
): Promise<BrowserAnswer> {
  const { dependencies, request } = context;
  const organizationId = await organizationOf({}, dependencies);
  await endSignedOut(session, { requestId: request.requestId, organizationId }, dependencies);
  const connectors = signInsOf(session).map(({ connector }) => connector);
  const atConnectors = await signOutAtConnectors(connectors, returnTo, context);
  return { ...(atConnectors ?? done(returnTo, context)), session: null };
}

/** @param url where the page sends its form */
async function askToConfirm(
  returnTo: string | undefined,
  url: string,
  context: BrowserContext,
): Promise<BrowserAnswer> {
  const { browser, dependencies, request } = context;
  const { secret, binding } = await beginInteraction(
    { stage: "sign_out", ...(returnTo !== undefined && { returnTo }) },
    browser,
    dependencies,
  );
  const page: Page = ({ signOut: { ask, confirm, button } }) => {
    const body = html`<h1>${ask}</h1>
<p>${confirm}</p>
<form method="post" action="${new URL(url).pathname}">
<input type="hidden" name="${INTERACTION}" value="${secret}">
<div class="actions"><button class="primary">${button}</button></div>
</form>`;
    return { title: ask, body, requestId: request.requestId };
  };
  return { page, binding };
}

/** Whether `state` is one that we sent to a connector. A client's `state` comes with a URL of the client. */
async function isBackFromConnector(form: Form, { dependencies }: BrowserContext): Promise<boolean> {
  const state = form.get("state");
  if (state === undefined || !isSecretText(state) || form.has("post_logout_redirect_uri")) return false;
  const { stores, clock } = dependencies;
  return (await stores.grants.interaction(sha256base64url(state), clock.now())) !== undefined;
}

async function returnFromConnector(form: Form, context: BrowserContext): Promise<BrowserAnswer> {
  const { dependencies, browser } = context;
  const found = await findInteraction(form.get("state"), ["signed_out"], browser, dependencies);
  await finishInteraction(found, dependencies);
  const { returnTo, remaining = [] } = found.interaction;
  return (await signOutAtConnectors(remaining, returnTo, context)) ?? done(returnTo, context);
}

function done(returnTo: string | undefined, { request }: BrowserContext): BrowserAnswer {
  if (returnTo !== undefined) return { redirect: returnTo };
  return {
    page: ({ signOut: { done: title, stillAllowed } }) => {
      const body = html`<h1>${title}</h1>
<p>${stillAllowed}</p>`;
      return { title, body, requestId: request.requestId };
    },
  };
}

/** A request to sign somebody out, checked (OpenID Connect RP-Initiated Logout 1.0 §2). */
interface SignOutRequest {
  /** The subject of the client's `id_token_hint`. */
  readonly userId?: string;
  /** Complete with `state`. */
  readonly returnTo?: string;
  /** Anybody can register a client with this destination. */
  readonly isAnybodys: boolean;
}

/** @throws {PageError} an ID token that is not ours, or an address that is not the client's */
async function readSignOutRequest(form: Form, dependencies: AuthorizationServerPorts): Promise<SignOutRequest> {
  const hint = await readHint(form.get("id_token_hint"), dependencies);
  const client = await clientOf(form.get("client_id"), hint, dependencies);
  const returnTo = readReturn(form, client);
  return {
    ...(hint !== undefined && { userId: hint.userId }),
    ...(returnTo !== undefined && { returnTo }),
    isAnybodys: client?.kind !== "app" && returnTo !== undefined && !isLoopbackRedirect(returnTo),
  };
}

/** An ID token may be expired by then (§2). */
async function readHint(
  text: string | undefined,
  dependencies: AuthorizationServerPorts,
): Promise<IdTokenHint | undefined> {
  if (text === undefined) return undefined;
  const { oidcProvider } = dependencies.configuration().configuration;
  // Without an authorization server no ID token is ours.
  const hint = oidcProvider === undefined ? undefined : await readIdTokenHint(text, dependencies);
  if (hint !== undefined) return hint;
  throw new PageError(({ signOut: { noHint } }) => noHint, { detail: "id_token_hint" });
}

async function clientOf(
  named: string | undefined,
  hint: IdTokenHint | undefined,
  dependencies: AuthorizationServerPorts,
): Promise<OAuthClient | undefined> {
  if (named !== undefined && hint !== undefined && hint.clientId !== named) {
    throw new PageError(({ signOut: { otherHint } }) => otherHint, { detail: "client_id is not the token's" });
  }
  const clientId = named ?? hint?.clientId;
  return clientId === undefined ? undefined : findClient(clientId, dependencies);
}

/** After signing out, people may be sent to the redirects that a client registered, and nowhere else. */
function readReturn(form: Form, client: OAuthClient | undefined): string | undefined {
  const named = form.get("post_logout_redirect_uri");
  if (named === undefined) return undefined;
  if (client === undefined || !isRegisteredRedirect(named, client.redirectURLs)) {
    throw new PageError(({ signOut: { otherRedirect } }) => otherRedirect, { detail: "post_logout_redirect_uri" });
  }
  const state = form.get("state");
  if (state === undefined) return named;
  return `${named}${named.includes("?") ? "&" : "?"}${new URLSearchParams({ state })}`;
}
