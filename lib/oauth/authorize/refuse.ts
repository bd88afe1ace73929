import { foreignText, html } from "../../pages/html.ts";
import { page } from "../../pages/page.ts";
import { isLoopbackRedirect } from "../clients/redirect-url.ts";
import type { OAuthError } from "../errors.ts";
import type { BrowserAnswer, SignInContext } from "./context.ts";
import { knownSession } from "./known-session.ts";
import { redirectHost } from "./redirect-host.ts";
import { errorResponse, type Respondent } from "./response-url.ts";
import type { ResponseTarget } from "./target.ts";

/** Tells the client about an error, by way of the browser. */
export function refuse(respondent: Respondent, error: OAuthError, context: SignInContext): BrowserAnswer {
  logRefusal(error, context);
  return { redirect: errorResponse(respondent, error, context.provider.issuer) };
}

/**
 * The same before the person did anything. Anybody can register a client, and a redirect that follows from a mere link
 * would lend our address to wherever it leads (RFC 9700 §4.11.2): unless the person knows such a client, it is a page that
 * tells, with a link.
 */
export async function refuseAtFirst(
  target: ResponseTarget,
  error: OAuthError,
  context: SignInContext,
): Promise<BrowserAnswer> {
  if (await isTrusted(target, context)) return refuse(target, error, context);
  logRefusal(error, context);
  const host = redirectHost(target.redirectURL);
  const body = html`<h1>This sign-in cannot begin</h1>
<p>“${foreignText(target.client.name)}” asked for something that is not possible${
    error.description === undefined ? "." : `: ${error.description}.`
  }</p>
<div class="actions"><a class="button" href="${errorResponse(target, error, context.provider.issuer)}">Back to ${foreignText(host)}</a></div>`;
  return {
    page: page({ title: "This sign-in cannot begin", body, status: 400, requestId: context.request.requestId }),
  };
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
