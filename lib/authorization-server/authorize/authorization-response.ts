import { foreignText, html } from "../../pages/html.ts";
import type { Messages } from "../../pages/messages/en.ts";
import type { Page } from "../../pages/page.ts";
import type { OAuthError } from "../../protocol/oauth/errors.ts";
import { isLoopbackRedirect, isPrivateUseRedirect } from "../../protocol/oauth/redirect-url.ts";
import type { ResponseTarget } from "./response-target.ts";
import type { BrowserAnswer, SignInContext } from "./sign-in-context.ts";
import { knownSession } from "./signed-in-person.ts";

/** The receiver of a response, and the `state` that it repeats. */
export interface Respondent {
  readonly redirectURL: string;
  readonly state?: string;
}

/** The redirect with an authorization code (RFC 6749 §4.1.2) and the issuer (RFC 9207). */
export function codeResponse({ redirectURL, state }: Respondent, code: string, issuer: string): string {
  return withParameters(redirectURL, { code, state, iss: issuer });
}

/** The redirect with an error (RFC 6749 §4.1.2.1). The description is printable ASCII without quotes and backslashes. */
function errorResponse({ redirectURL, state }: Respondent, error: OAuthError, issuer: string): string {
  const { code, description } = error;
  return withParameters(redirectURL, { error: code, error_description: description, state, iss: issuer });
}

/** Tells the client about an error, by way of the browser. */
export function refuse(respondent: Respondent, error: OAuthError, context: SignInContext): BrowserAnswer {
  logRefusal(error, context);
  return { redirect: errorResponse(respondent, error, context.provider.issuer) };
}

/**
 * Tells the client about an error before the person did anything. Anybody can register a client, and a redirect after a mere
 * link would make us an open redirector (RFC 9700 §4.11.2). If the person does not know the client, the answer is a page with
 * a link.
 */
export async function refuseAtFirst(
  target: ResponseTarget,
  error: OAuthError,
  context: SignInContext,
): Promise<BrowserAnswer> {
  if (await isTrusted(target, context)) return refuse(target, error, context);
  logRefusal(error, context);
  return { page: refusedAtFirst(target, error, context) };
}

function refusedAtFirst(target: ResponseTarget, error: OAuthError, { provider, request }: SignInContext): Page {
  return ({ cannotBegin, consent }) => {
    const host = foreignText(redirectHost(target.redirectURL, consent));
    // `access_denied` before anybody was asked: something is stopped.
    const what = error.code === "access_denied" ? cannotBegin.stopped : cannotBegin.impossible;
    const body = html`<h1>${cannotBegin.title}</h1>
<p>${what(foreignText(target.client.name), error.description)}</p>
<div class="actions"><a class="button" href="${errorResponse(target, error, provider.issuer)}">${cannotBegin.back(host)}</a></div>`;
    return { title: cannotBegin.title, body, status: 400, requestId: request.requestId };
  };
}

/** The destination of a redirect, in words for people. */
export function redirectHost(redirectURL: string, { onThisComputer, onThisDevice }: Messages["consent"]): string {
  const { protocol, host } = new URL(redirectURL);
  if (isLoopbackRedirect(redirectURL)) return onThisComputer(host);
  return isPrivateUseRedirect(redirectURL) ? onThisDevice(protocol) : host;
}

/** Leaves the redirect as it was registered, including its own query (RFC 6749 §3.1.2). */
function withParameters(redirectURL: string, parameters: Readonly<Record<string, string | undefined>>): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters)) if (value !== undefined) query.set(name, value);
  const [, beforeQuery, ownQuery] = /^([^?]*)\??(.*)$/s.exec(redirectURL) as RegExpExecArray;
  return `${beforeQuery}?${ownQuery === "" ? "" : `${ownQuery}&`}${query}`;
}

async function isTrusted({ client, redirectURL }: ResponseTarget, context: SignInContext): Promise<boolean> {
  if (client.kind === "app" || isLoopbackRedirect(redirectURL)) return true;
  const session = await knownSession(client, context);
  if (session === undefined) return false;
  return (await context.dependencies.stores.grants.consent(session.userId, client.clientId)) !== undefined;
}

function logRefusal({ code, description, detail }: OAuthError, { request }: SignInContext): void {
  request.logger.info("authorization request refused", { error: code, description, detail });
}
