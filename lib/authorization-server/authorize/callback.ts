import { named } from "../../audit/event.ts";
import { callbackURL } from "../../connectors/begin-sign-in.ts";
import { type CompletedSignIn, ConnectorSignInError, completeSignIn } from "../../connectors/complete-sign-in.ts";
import type { Connector } from "../../connectors/connectors.ts";
import { startBrowserSession } from "../../directory/browser-sessions.ts";
import { endSessionOfCookie } from "../../directory/known-sessions.ts";
import { renewalsOf } from "../../directory/refresh-tokens.ts";
import { attemptOf, recordRefusedSignIn, recordSignInOf } from "../../directory/sign-in-audit.ts";
import { PageError } from "../../pages/page-error.ts";
import { OAuthError, type OAuthErrorCode } from "../../protocol/oauth/errors.ts";
import type { ConnectorSignIn } from "../../stores/directory.ts";
import { personId } from "../../stores/identities.ts";
import type { OAuthClient } from "../clients/client.ts";
import { organizationOf } from "../clients/find-client.ts";
import { personClaims, usefulClaims } from "../person-claims.ts";
import { personName } from "../person-name.ts";
import type { AuthorizationRequest } from "./authorization-request.ts";
import { refuse } from "./authorization-response.ts";
import { metadataOf } from "./forward-to-connector.ts";
import { type ConnectorSignInInteraction, type FoundInteraction, finishInteraction } from "./interaction.ts";
import { meetsAcr } from "./next-step.ts";
import { proceed } from "./proceed.ts";
import { currentClient } from "./response-target.ts";
import type { BrowserAnswer, SignInContext } from "./sign-in-context.ts";
import { isExpected, notExpected } from "./signed-in-person.ts";

/**
 * Answers a person whom a connector sent back (RFC 6749 §4.1.2): exactly once for each sign-in.
 *
 * @param found the sign-in of `state`, in the browser that began it
 * @throws {PageError} it is over, or it failed
 */
export async function answerCallback(
  parameters: URLSearchParams,
  found: FoundInteraction<ConnectorSignInInteraction>,
  context: SignInContext,
): Promise<BrowserAnswer> {
  const { dependencies } = context;
  await finishInteraction(found, dependencies);
  const { interaction, secret } = found;
  const client = await currentClient(interaction.request, dependencies);
  const result = await signedIn({ interaction, parameters, state: secret }, context);
  if (result instanceof OAuthError) return refuse(interaction.request, result, context);
  return startSession(result, { client, interaction }, context);
}

interface Callback {
  readonly interaction: ConnectorSignInInteraction;
  readonly parameters: URLSearchParams;
  readonly state: string;
}

/** The person who signed in, or the error for the client. */
async function signedIn(
  { interaction, parameters, state }: Callback,
  context: SignInContext,
): Promise<CompletedSignIn | OAuthError> {
  const { dependencies, endpoints, request } = context;
  const { prompt, maxAge } = interaction.request;
  const connector = knownConnector(interaction.connector, context);
  try {
    return await completeSignIn(
      connector,
      await metadataOf(connector, interaction.request, context),
      {
        ...interaction,
        ...{ parameters, state, redirectURL: callbackURL(connector, endpoints) },
        ...(maxAge !== undefined && { maxAge }),
        ...(prompt.includes("login") && { notBefore: interaction.beganAt }),
        claims: usefulClaims(connector.settings.name, dependencies.configuration().configuration),
      },
      dependencies,
    );
  } catch (error) {
    if (!(error instanceof ConnectorSignInError)) throw error;
    request.logger.info("sign-in failed", { connector: connector.settings.name, reason: error.message });
    await recordRefusedSignIn(dependencies, attemptOf("connector", request, connector.settings.name));
    return failedSignIn(error, interaction.request);
  }
}

/** The connector that a person was sent to. @throws {PageError} it is not configured any more */
export function knownConnector(name: string, { connectors }: Pick<SignInContext, "connectors">): Connector {
  const connector = connectors.find(({ settings }) => settings.name === name);
  if (connector !== undefined) return connector;
  throw new PageError(({ errors }) => errors.providerGone, { detail: "the connector is gone" });
}

interface Finishing {
  readonly client: OAuthClient;
  readonly interaction: ConnectorSignInInteraction;
}

/** Starts a session, always with a new id, and goes on with the request. */
async function startSession(
  completed: CompletedSignIn,
  { client, interaction }: Finishing,
  context: SignInContext,
): Promise<BrowserAnswer> {
  const { dependencies, browser, request } = context;
  const { signIn } = completed;
  const userId = personId(signIn);
  request.authenticated(userId);
  if (browser.session !== undefined) await endSessionOfCookie(dependencies, browser.session);
  // Web apps take the session, too.
  const tokens = await renewalsOf(completed, knownConnector(signIn.connector, context).settings, dependencies);
  const session = await startBrowserSession(dependencies, userId, { signIn, renewals: { tokens } });
  await recordSignInOf(
    dependencies,
    attemptOf("connector", request, signIn.connector),
    userId,
    await purposeOf({ signIn, userId }, { client, interaction }, context),
  );
  // The consent counts only for the person whom the consent page named.
  const isConsented = interaction.isConsented && (interaction.userId ?? userId) === userId;
  const finishing = { client, interaction: { ...interaction, isConsented } };
  const answer = await finish({ ...signIn, userId }, finishing, { ...context, browser: { ...browser, session } });
  return { ...answer, session };
}

/** What a sign-in was for, with what those in its record are called. */
async function purposeOf(
  { signIn, userId }: { readonly signIn: ConnectorSignIn; readonly userId: string },
  { client, interaction }: Finishing,
  { dependencies }: SignInContext,
) {
  const shown = personClaims(signIn, interaction.request.scopes, client);
  const name = await personName({ ...signIn, shown }, client, dependencies);
  return {
    organizationId: await organizationOf(client, dependencies),
    agent: client.clientId,
    ...named([client.clientId, client.name], [userId, name]),
  };
}

async function finish(
  signIn: ConnectorSignIn & { readonly userId: string },
  { client, interaction }: Finishing,
  context: SignInContext,
): Promise<BrowserAnswer> {
  const { request, isConsented } = interaction;
  try {
    if (!isExpected(signIn.userId, request)) throw notExpected();
    if (!meetsAcr(signIn, request.acrValues)) {
      throw new OAuthError("unmet_authentication_requirements", {
        description: "the identity provider did not sign the person in as strongly as asked for",
      });
    }
    return await proceed({ request, isConsented, isSignedIn: true }, client, context);
  } catch (error) {
    if (!(error instanceof OAuthError)) throw error;
    return refuse(request, error, context);
  }
}

/**
 * The error for the client after a failed sign-in at a connector. Some codes of the connector mean the same here. With
 * `prompt=none` every failure goes to the client.
 *
 * @throws {PageError} every other failure is shown to the person, who can try again or ask somebody
 */
function failedSignIn(error: ConnectorSignInError, { prompt }: AuthorizationRequest): OAuthError {
  const { failure, code } = error;
  if (code !== undefined && PASSED_ON.includes(code)) {
    return new OAuthError(code as OAuthErrorCode, { description: "the identity provider said so" });
  }
  if (prompt.includes("none")) {
    const isTemporary = failure === "unavailable";
    return new OAuthError(isTemporary ? "temporarily_unavailable" : "server_error", {
      description: "signing in at the identity provider failed",
    });
  }
  throw failurePage(error);
}

/**
 * What a person reads whose sign-in at a connector failed. The status is 400 if the browser may be the cause: somebody who began a
 * sign-in can return with anything.
 */
export function failurePage({ failure }: ConnectorSignInError): PageError {
  const isDown = failure === "unavailable";
  return new PageError(
    ({ signInFailed }) => ({
      title: isDown ? signInFailed.unavailableTitle : signInFailed.title,
      message: signInFailed[failure],
      advice: signInFailed.advice,
    }),
    { status: isDown ? 503 : 400 },
  );
}

/** Codes of a connector that mean the same to the client. */
const PASSED_ON: readonly string[] = [
  ...["access_denied", "login_required", "interaction_required", "consent_required"],
  ...["account_selection_required", "unmet_authentication_requirements"],
];
