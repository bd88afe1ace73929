import { sha256base64url } from "#sha256";
import { named, nameIn } from "../audit/event.ts";
import { knownConnector } from "../authorization-server/authorize/callback.ts";
import { goToConnector, signedInAtConnector } from "../authorization-server/authorize/connector-round-trip.ts";
import {
  type AppAttempt,
  type AppSignIn,
  beginBound,
  type FoundInteraction,
  finishInteraction,
  OtherBindingError,
} from "../authorization-server/authorize/interaction.ts";
import type { ConnectorSession } from "../authorization-server/authorize/next-step.ts";
import type { BrowserAnswer } from "../authorization-server/authorize/sign-in-context.ts";
import { connectorPage } from "../authorization-server/authorize/sign-in-pages.ts";
import { knownSession } from "../authorization-server/authorize/signed-in-person.ts";
import { organizationOf } from "../authorization-server/clients/find-client.ts";
import type { Form } from "../authorization-server/form.ts";
import { APP_SIGNED_IN, INTERACTION } from "../config/endpoints.ts";
import type { CompletedSignIn } from "../connectors/complete-sign-in.ts";
import type { Connector } from "../connectors/connectors.ts";
import { startBrowserSession } from "../directory/browser-sessions.ts";
import { hasSessionCookie, isSignInHost } from "../directory/host-sessions.ts";
import { endSessionOfCookie } from "../directory/known-sessions.ts";
import { renewalsOf } from "../directory/refresh-tokens.ts";
import { attemptOf, recordRefusedSignIn, recordSignInOf } from "../directory/sign-in-audit.ts";
import { stopOfPerson } from "../directory/stopped-person.ts";
import { PageError } from "../pages/page-error.ts";
import { personId } from "../stores/identities.ts";
import { ATTEMPT_PARAMETER, openAttempt } from "./attempt.ts";
import { type AppSignInContext, attemptOver, placeOf, requireApp, requireOwn, toApp } from "./attempt-checks.ts";
import { joinedSession } from "./joined-session.ts";
import { stopAtApp } from "./stop-at-app.ts";

/**
 * On our host: the next step for whoever a web app sent. A session that fits is enough; else the person goes to the
 * connector, or chooses one of several.
 *
 * @throws {PageError}
 */
export async function beginAppSignIn(form: Form, context: AppSignInContext): Promise<BrowserAnswer> {
  const { endpoints, request } = context;
  const sealed = form.get(ATTEMPT_PARAMETER) ?? "";
  const attempt = await attemptHere(sealed, context);
  const session = await sessionFor(attempt, context);
  if (session !== undefined) return goBack(attempt, session.sessionHash, context);
  const allowed = connectorsOf(attempt, context);
  const [only, ...others] = allowed;
  if (only === undefined) throw knownConnectorGone();
  if (others.length === 0) return forwardTo(only, attempt, context);
  return {
    page: connectorPage({
      name: attempt.app,
      connectors: allowed.map(({ settings }) => settings.name),
      action: new URL(endpoints.appSignIn).pathname,
      field: { name: ATTEMPT_PARAMETER, value: sealed },
      requestId: request.requestId,
    }),
  };
}

/** On our host: the person chose where to sign in. @throws {PageError} */
export async function chooseConnector(form: Form, context: AppSignInContext): Promise<BrowserAnswer> {
  const attempt = await attemptHere(form.get(ATTEMPT_PARAMETER) ?? "", context);
  const connector = connectorsOf(attempt, context).find(({ settings }) => settings.name === form.get("connector"));
  if (connector !== undefined) return forwardTo(connector, attempt, context);
  throw new PageError(({ errors }) => errors.unclear, { detail: "no connector" });
}

/**
 * On our host: answers a person whom a connector sent back, exactly once for each sign-in. The session always has a new id,
 * also where it goes on with what a former one knows.
 *
 * @param found the sign-in of `state`, in the browser that began it
 * @throws {PageError} it is over, or it failed
 */
export async function answerAppCallback(
  parameters: URLSearchParams,
  found: FoundInteraction<AppSignIn>,
  context: AppSignInContext,
): Promise<BrowserAnswer> {
  const { dependencies, browser, request } = context;
  await finishInteraction(found, dependencies);
  const { attempt } = found.interaction;
  const app = requireApp(attempt, context);
  const completed = await signedIn(parameters, found, context);
  const { signIn } = completed;
  const userId = personId(signIn);
  request.authenticated(userId);
  const now = dependencies.clock.now();
  if ((await stopOfPerson(dependencies, { userId, signIn, createdAt: now })) !== undefined) {
    await recordRefused(found.interaction, context);
    throw stopped();
  }
  requireOwn(attempt, context);
  const tokens = await renewalsOf(completed, knownConnector(signIn.connector, context).settings, dependencies);
  const begun = { signIn, renewals: { tokens } };
  const joined = await joinedSession(begun, attempt, context);
  if (browser.session !== undefined) await endSessionOfCookie(dependencies, browser.session);
  const session = await startBrowserSession(dependencies, joined?.former.userId ?? userId, joined ?? begun);
  const organizationId = await organizationOf(app, dependencies);
  const made = { ...attemptOf("connector", request, signIn.connector), app: app.name };
  await recordSignInOf(dependencies, made, userId, { organizationId, ...named([userId, nameIn(signIn.claims)]) });
  return { ...(await goBack(attempt, sha256base64url(session), context)), session };
}

/**
 * Sends a browser that cannot finish a sign-in back to what was asked for, as a link would: tabs that begin at the same time get a
 * cookie each of which the last one counts, and whoever is signed in by now is asked nothing. Nobody is signed in by it. A
 * browser without the cookie is not sent back: it would come again and again.
 *
 * @throws what was thrown, where it is about something else
 */
export function beginAgain(thrown: unknown, context: AppSignInContext): BrowserAnswer {
  const interaction = thrown instanceof OtherBindingError ? thrown.interaction : undefined;
  if (interaction?.stage !== "app_sign_in") throw thrown;
  const { attempt } = interaction;
  requireApp(attempt, context);
  context.request.logger.info("sign-in begins again", { app: attempt.app });
  return { redirect: placeOf(attempt) };
}

/** The attempt of a request to our host. Where the app has the same host, its cookie has to be there from the start. */
async function attemptHere(sealed: string, context: AppSignInContext): Promise<AppAttempt> {
  const { dependencies, hostname } = context;
  if (!isSignInHost(hostname, dependencies)) throw attemptOver("asked at the host of a web app");
  const attempt = await openAttempt(sealed, dependencies);
  if (attempt === undefined) throw attemptOver("no sealed attempt, or an old one");
  requireApp(attempt, context);
  requireOwn(attempt, context);
  return attempt;
}

/** The session of the browser, unless the person wants another, or it was ended for the organization of the app: then the person signs in anew. */
async function sessionFor(attempt: AppAttempt, context: AppSignInContext): Promise<ConnectorSession | undefined> {
  const { dependencies } = context;
  const session = attempt.isAnother ? undefined : await knownSession(attempt, context);
  if (session === undefined) return undefined;
  const app = requireApp(attempt, context);
  const organizationId = await organizationOf(app, dependencies);
  const stop = await stopAtApp(dependencies, session, { organizationId, isOfAll: app.organization === undefined });
  // Whoever is suspended reads it at the app.
  return stop?.state === "ended" ? undefined : session;
}

/** Sends the person to a connector. From here on the attempt is stored. */
function forwardTo(connector: Connector, attempt: AppAttempt, context: AppSignInContext): Promise<BrowserAnswer> {
  // Not every provider knows `select_account`, and one that does not refuses it.
  return goToConnector(connector, { stage: "app_sign_in", attempt }, attempt.isAnother ? ["login"] : [], context);
}

/** Who signed in. @throws {PageError} nobody, which is recorded */
function signedIn(
  parameters: URLSearchParams,
  found: FoundInteraction<AppSignIn>,
  context: AppSignInContext,
): Promise<CompletedSignIn> {
  const { interaction } = found;
  return signedInAtConnector(parameters, found, context, async (connector, reason) => {
    context.request.logger.info("sign-in failed", { connector, app: interaction.attempt.app, reason });
    await recordRefused(interaction, context);
  });
}

/** Where the session's own cookie reaches the app's host it is there already; every other host takes it over. */
async function goBack(attempt: AppAttempt, sessionHash: string, context: AppSignInContext): Promise<BrowserAnswer> {
  const { dependencies } = context;
  if (hasSessionCookie(new URL(attempt.origin).hostname, dependencies)) return toApp(attempt);
  // Only the browser that has the attempt's cookie at the app's host can use the address, whoever else sees it.
  const secret = await beginBound({ stage: "app_hand_over", attempt, sessionHash }, attempt.bindingHash, dependencies);
  const query = new URLSearchParams({ [INTERACTION]: secret, [ATTEMPT_PARAMETER]: attempt.id });
  return { redirect: `${attempt.origin}${APP_SIGNED_IN}?${query}` };
}

function connectorsOf(attempt: AppAttempt, { connectors }: AppSignInContext): readonly Connector[] {
  return attempt.connectors.flatMap((name) => connectors.find(({ settings }) => settings.name === name) ?? []);
}

async function recordRefused(
  { connector, attempt }: AppSignIn,
  { dependencies, request }: AppSignInContext,
): Promise<void> {
  await recordRefusedSignIn(dependencies, { ...attemptOf("connector", request, connector), app: attempt.app });
}

function knownConnectorGone(): PageError {
  return new PageError(({ errors }) => errors.providersGone, { detail: "the connectors are gone" });
}

function stopped(): PageError {
  return new PageError(({ errors }) => errors.suspended, { status: 403 });
}
