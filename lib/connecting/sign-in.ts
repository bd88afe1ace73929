import { sha256base64url } from "#sha256";
import { named } from "../audit/event.ts";
import { knownConnector } from "../authorization-server/authorize/callback.ts";
import { goToConnector, signedInAtConnector } from "../authorization-server/authorize/connector-round-trip.ts";
import {
  type ConnectSignIn,
  type FoundInteraction,
  finishInteraction,
} from "../authorization-server/authorize/interaction.ts";
import type { BrowserAnswer, BrowserContext } from "../authorization-server/authorize/sign-in-context.ts";
import { connectorPage } from "../authorization-server/authorize/sign-in-pages.ts";
import { personName } from "../authorization-server/person-name.ts";
import { CONNECT } from "../config/endpoints.ts";
import { type FoundConnectRequest, findConnectRequest } from "../connections/connect-request.ts";
import type { CompletedSignIn } from "../connectors/complete-sign-in.ts";
import type { Connector } from "../connectors/connectors.ts";
import { startBrowserSession } from "../directory/browser-sessions.ts";
import { endSessionOfCookie } from "../directory/known-sessions.ts";
import { renewalsOf } from "../directory/refresh-tokens.ts";
import { attemptOf, recordRefusedSignIn, recordSignInOf } from "../directory/sign-in-audit.ts";
import { stopOfPerson } from "../directory/stopped-person.ts";
import { PageError } from "../pages/page-error.ts";
import { personId } from "../stores/identities.ts";
import type { ConnectContext } from "./connect-context.ts";
import { connectorsFor } from "./opener.ts";
import { linkOver } from "./refusals.ts";
import { stepOnPage } from "./steps.ts";

/** Lets whoever opens a link sign in: at the only connector there is, or at one of several that they choose. @throws {PageError} */
export async function askToSignIn(asked: FoundConnectRequest, context: ConnectContext): Promise<BrowserAnswer> {
  const allowed = await connectorsFor(asked.request, context);
  const [only, ...others] = allowed;
  if (only === undefined) {
    throw new PageError(({ connect }) => connect.noSignIn, { detail: "no connector to sign in at" });
  }
  if (others.length === 0) return forwardTo(only, asked.id, context);
  return {
    page: connectorPage({
      name: asked.request.app,
      connectors: allowed.map(({ settings }) => settings.name),
      action: `${CONNECT}/${asked.id}`,
      field: { name: "step", value: "sign-in" },
      requestId: context.request.requestId,
    }),
  };
}

/** The person chose where to sign in. @throws {PageError} */
export async function signInAt(
  name: string | undefined,
  asked: FoundConnectRequest,
  context: ConnectContext,
): Promise<BrowserAnswer> {
  const connector = (await connectorsFor(asked.request, context)).find(({ settings }) => settings.name === name);
  if (connector !== undefined) return forwardTo(connector, asked.id, context);
  throw new PageError(({ errors }) => errors.unclear, { detail: "no connector" });
}

/**
 * Answers a person whom a connector sent back, exactly once for each sign-in. Whoever it is has a session from here on, with an id
 * that nobody knew before; the page of the link then says whether the link is theirs.
 *
 * @param found the sign-in of `state`, in the browser that began it
 * @throws {PageError} it is over, or it failed
 */
export async function answerConnectSignIn(
  parameters: URLSearchParams,
  found: FoundInteraction<ConnectSignIn>,
  context: BrowserContext,
): Promise<BrowserAnswer> {
  const { dependencies, browser, request } = context;
  await finishInteraction(found, dependencies);
  const { id } = found.interaction;
  const asked = await findConnectRequest(id, dependencies);
  if (asked === undefined) throw linkOver("the connect request ended while its person signed in");
  const completed = await signedIn(parameters, found, context);
  const { signIn } = completed;
  const userId = personId(signIn);
  request.authenticated(userId);
  const person = { userId, signIn, createdAt: dependencies.clock.now() };
  if ((await stopOfPerson(dependencies, person)) !== undefined) {
    await recordRefusedSignIn(dependencies, attemptOf("connector", request, signIn.connector));
    throw new PageError(({ errors }) => errors.suspended, { status: 403 });
  }
  const tokens = await renewalsOf(completed, knownConnector(signIn.connector, context).settings, dependencies);
  if (browser.session !== undefined) await endSessionOfCookie(dependencies, browser.session);
  const session = await startBrowserSession(dependencies, userId, { signIn, renewals: { tokens } });
  const { organizationId, app } = asked.request;
  const made = { ...attemptOf("connector", request, signIn.connector), app };
  const of = organizationId === "" ? {} : { organization: organizationId };
  const name = await personName({ ...signIn, shown: {} }, of, dependencies);
  await recordSignInOf(dependencies, made, userId, {
    organizationId: organizationId || undefined,
    ...named([userId, name]),
  });
  const answer = await stepOnPage({ stage: "connect", id, sessionHash: sha256base64url(session) }, context);
  return { ...answer, session };
}

/** From here on the sign-in is stored, for the browser that asks. */
function forwardTo(connector: Connector, id: string, context: ConnectContext): Promise<BrowserAnswer> {
  return goToConnector(connector, { stage: "connect_sign_in", id }, [], context);
}

/** Who signed in. @throws {PageError} nobody, which is recorded */
function signedIn(
  parameters: URLSearchParams,
  found: FoundInteraction<ConnectSignIn>,
  context: BrowserContext,
): Promise<CompletedSignIn> {
  const { dependencies, request } = context;
  return signedInAtConnector(parameters, found, context, async (connector, reason) => {
    request.logger.info("sign-in failed", { connector, reason });
    await recordRefusedSignIn(dependencies, attemptOf("connector", request, connector));
  });
}
