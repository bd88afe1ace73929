import { endBrowserSession, resumeBrowserSession } from "../../directory/browser-sessions.ts";
import { isSecretText } from "../../directory/secret-text.ts";
import { sha256base64url } from "../../encoding.ts";
import { html } from "../../pages/html.ts";
import { page } from "../../pages/page.ts";
import type { BrowserSessionRecord } from "../../stores/directory.ts";
import { INTERACTION } from "../authorize/consent-url.ts";
import type { BrowserAnswer, SignInContext } from "../authorize/context.ts";
import { beginInteraction, findInteraction, finishInteraction } from "../authorize/interaction.ts";
import type { Form } from "../form.ts";
import { connectorSignOut } from "./connector-sign-out.ts";
import { readSignOutRequest } from "./request.ts";

/**
 * Signs the browser's person out (OpenID Connect RP-Initiated Logout 1.0): at once where the client shows an ID token of
 * the person's, else after the person said so on a page. A connector may send people back here, too. A mere link leads
 * nobody on to where a client that anybody can register wants (RFC 9700 §4.11.2).
 *
 * @throws {PageError}
 */
export async function signOut(form: Form, context: SignInContext): Promise<BrowserAnswer> {
  if (await isBackFromConnector(form, context)) return returnFromConnector(form, context);
  const { userId, returnTo, isAnybodys } = await readSignOutRequest(form, context.dependencies);
  const session = await currentSession(context);
  if (session !== undefined && session.userId === userId) return endSession(session, returnTo, context);
  const trusted = isAnybodys ? undefined : returnTo;
  return session === undefined ? done(trusted, context) : askToConfirm(trusted, context);
}

/** Where a connector sends people back to after they signed out, if that is an address of its own. */
export async function signedOut(form: Form, context: SignInContext): Promise<BrowserAnswer> {
  return (await isBackFromConnector(form, context)) ? returnFromConnector(form, context) : done(undefined, context);
}

/** The person confirmed it on our page. @throws {PageError} the page is over */
export async function confirmSignOut(form: Form, context: SignInContext): Promise<BrowserAnswer> {
  const { dependencies, browser } = context;
  const found = await findInteraction(form.get(INTERACTION), ["sign_out"], browser, dependencies);
  await finishInteraction(found, dependencies);
  const session = await currentSession(context);
  const { returnTo } = found.interaction;
  return session === undefined ? done(returnTo, context) : endSession(session, returnTo, context);
}

async function currentSession({ browser, dependencies }: SignInContext): Promise<BrowserSessionRecord | undefined> {
  return browser.session === undefined ? undefined : resumeBrowserSession(dependencies, browser.session);
}

/** Here first, so that nothing of a connector's keeps it from being over. */
async function endSession(
  session: BrowserSessionRecord,
  returnTo: string | undefined,
  context: SignInContext,
): Promise<BrowserAnswer> {
  if (context.browser.session !== undefined) await endBrowserSession(context.dependencies, context.browser.session);
  const atConnector = await connectorSignOut(session, returnTo, context);
  return { ...(atConnector ?? done(returnTo, context)), session: null };
}

async function askToConfirm(returnTo: string | undefined, context: SignInContext): Promise<BrowserAnswer> {
  const { provider, browser, dependencies, request } = context;
  const { secret, binding } = await beginInteraction(
    { stage: "sign_out", ...(returnTo !== undefined && { returnTo }) },
    browser,
    dependencies,
  );
  const body = html`<h1>Sign out?</h1>
<p>You will be signed out here, and at your identity provider where that is possible.</p>
<form method="post" action="${new URL(provider.endpoints.endSession).pathname}">
<input type="hidden" name="${INTERACTION}" value="${secret}">
<div class="actions"><button class="primary">Sign out</button></div>
</form>`;
  return { page: page({ title: "Sign out?", body, requestId: request.requestId }), binding };
}

/** The `state` is one that we gave to a connector; a client's own goes with an address of the client's. */
async function isBackFromConnector(form: Form, { dependencies }: SignInContext): Promise<boolean> {
  const state = form.get("state");
  if (state === undefined || !isSecretText(state) || form.has("post_logout_redirect_uri")) return false;
  const { stores, clock } = dependencies;
  return (await stores.grants.interaction(sha256base64url(state), clock.now())) !== undefined;
}

async function returnFromConnector(form: Form, context: SignInContext): Promise<BrowserAnswer> {
  const { dependencies, browser } = context;
  const found = await findInteraction(form.get("state"), ["signed_out"], browser, dependencies);
  await finishInteraction(found, dependencies);
  return done(found.interaction.returnTo, context);
}

function done(returnTo: string | undefined, { request }: SignInContext): BrowserAnswer {
  if (returnTo !== undefined) return { redirect: returnTo };
  const body = html`<h1>You are signed out</h1>
<p>Applications that you allowed to act for you can still do so until their access ends or is taken back.</p>`;
  return { page: page({ title: "You are signed out", body, requestId: request.requestId }) };
}
