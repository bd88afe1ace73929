import { callbackURL } from "../../connectors/sign-in/begin.ts";
import { completeSignIn } from "../../connectors/sign-in/complete.ts";
import { ConnectorSignInError } from "../../connectors/sign-in/sign-in-error.ts";
import { endBrowserSession, startBrowserSession } from "../../directory/browser-sessions.ts";
import { personId } from "../../directory/person-id.ts";
import type { SignInAttempt } from "../../directory/sign-in-audit.ts";
import { PageError } from "../../pages/page-error.ts";
import type { ConnectorSignIn } from "../../stores/directory.ts";
import type { OAuthClient } from "../clients/client.ts";
import { OAuthError } from "../errors.ts";
import { usefulClaims } from "../person-claims.ts";
import type { BrowserAnswer, SignInContext } from "./context.ts";
import { currentClient } from "./current-client.ts";
import { isExpected, notExpected } from "./expected-person.ts";
import { metadataOf } from "./forward.ts";
import { type ConnectorSignInInteraction, findInteraction, finishInteraction } from "./interaction.ts";
import { meetsAcr } from "./next-step.ts";
import { proceed } from "./proceed.ts";
import { refuse } from "./refuse.ts";
import { failedSignIn } from "./sign-in-failure.ts";
import { recordConnectorSignIn } from "./sign-in-record.ts";

/** Records, within bounds, that a sign-in came to nothing. */
export type RecordRefusal = (attempt: SignInAttempt) => Promise<void>;

/**
 * Answers a person whom a connector sent back (RFC 6749 §4.1.2): exactly once for each sign-in, and only in the browser
 * that began it.
 *
 * @throws {PageError} the sign-in is over or another browser's, or it failed
 */
export async function answerCallback(
  parameters: URLSearchParams,
  context: SignInContext,
  recordRefusal: RecordRefusal,
): Promise<BrowserAnswer> {
  const { dependencies, browser } = context;
  const found = await findInteraction(parameters.get("state") ?? undefined, ["sign_in"], browser, dependencies);
  await finishInteraction(found, dependencies);
  const { interaction, secret } = found;
  const client = await currentClient(interaction.request, dependencies);
  const result = await signedIn({ interaction, parameters, state: secret }, context, recordRefusal);
  if (result instanceof OAuthError) return refuse(interaction.request, result, context);
  return startSession(result, { client, interaction }, context);
}

interface Callback {
  readonly interaction: ConnectorSignInInteraction;
  readonly parameters: URLSearchParams;
  readonly state: string;
}

/** Who signed in, or what the client is told instead. */
async function signedIn(
  { interaction, parameters, state }: Callback,
  context: SignInContext,
  recordRefusal: RecordRefusal,
): Promise<ConnectorSignIn | OAuthError> {
  const { dependencies, provider, request } = context;
  const { prompt, maxAge } = interaction.request;
  const connector = context.connectors.find(({ settings }) => settings.name === interaction.connector);
  if (connector === undefined) {
    throw new PageError("This sign-in is over", "The identity provider is not known here any more.", {
      detail: "the connector is gone",
    });
  }
  try {
    return await completeSignIn(
      connector,
      await metadataOf(connector, interaction.request, context),
      {
        ...interaction,
        ...{ parameters, state, redirectURL: callbackURL(connector, provider) },
        ...(maxAge !== undefined && { maxAge }),
        ...(prompt.includes("login") && { notBefore: interaction.beganAt }),
        claims: usefulClaims(connector.settings.name, dependencies.configuration().configuration),
      },
      dependencies,
    );
  } catch (error) {
    if (!(error instanceof ConnectorSignInError)) throw error;
    request.logger.info("sign-in failed", { connector: connector.settings.name, reason: error.message });
    const { requestId, remoteAddress: source } = request;
    await recordRefusal({ method: "connector", connector: connector.settings.name, requestId, source });
    return failedSignIn(error, interaction.request);
  }
}

interface Finishing {
  readonly client: OAuthClient;
  readonly interaction: ConnectorSignInInteraction;
}

/** A session under a new id, also where there was one, and what follows for the request. */
async function startSession(
  signIn: ConnectorSignIn,
  { client, interaction }: Finishing,
  context: SignInContext,
): Promise<BrowserAnswer> {
  const { dependencies, browser, request } = context;
  const userId = personId(signIn.issuer, signIn.subject);
  request.authenticated(userId);
  if (browser.session !== undefined) await endBrowserSession(dependencies, browser.session);
  const session = await startBrowserSession(dependencies, userId, { signIn });
  await recordConnectorSignIn({ userId, signIn, client }, context);
  // Whoever the consent page named allowed it, and nobody else.
  const isConsented = interaction.isConsented && (interaction.userId ?? userId) === userId;
  const finishing = { client, interaction: { ...interaction, isConsented } };
  const answer = await finish({ ...signIn, userId }, finishing, { ...context, browser: { ...browser, session } });
  return { ...answer, session };
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
