import { consentPageURL } from "../../config/endpoints.ts";
import { OAuthError } from "../../protocol/oauth/errors.ts";
import type { OAuthClient } from "../clients/client.ts";
import { codeResponse } from "./authorization-response.ts";
import { forwardTo } from "./forward-to-connector.ts";
import { type Authorizing, type FoundInteraction, finishInteraction, saveInteraction } from "./interaction.ts";
import { issueCode } from "./issue-code.ts";
import { type ConnectorSession, nextStep } from "./next-step.ts";
import { refuseStopped } from "./refuse-stopped.ts";
import type { BrowserAnswer, SignInContext } from "./sign-in-context.ts";
import { isExpected, knownSession, notExpected } from "./signed-in-person.ts";

/**
 * Takes the next step of a request: refuses what is stopped, asks for consent, sends the person to a connector, or answers the client.
 *
 * @param found the step before; this step uses it up
 * @throws {OAuthError} for the client
 * @throws {PageError} for the person
 */
export async function proceed(
  begun: Authorizing,
  client: OAuthClient,
  context: SignInContext,
  found?: FoundInteraction,
): Promise<BrowserAnswer> {
  const { grants } = context.dependencies.stores;
  const { session, authorizing } = forExpectedPerson(begun, await knownSession(client, context));
  await refuseStopped(client, session, context);
  const consent = session && (await grants.consent(session.userId, client.clientId));
  const step = nextStep({ ...authorizing, client, session, consent, now: context.dependencies.clock.now() });
  if (step === "consent") return askForConsent(authorizing, session, found, context);
  if (step === "sign_in") return signIn(authorizing, client, session, found, context);
  return answer(authorizing, client, session as ConnectorSession, found, context);
}

/** The session of another person does not count. The connector then has to ask who is there. */
function forExpectedPerson(authorizing: Authorizing, session: ConnectorSession | undefined) {
  const { request } = authorizing;
  if (session === undefined || isExpected(session.userId, request)) return { session, authorizing };
  if (request.prompt.includes("none")) throw notExpected();
  return { session: undefined, authorizing: { ...authorizing, isAnother: true } };
}

async function askForConsent(
  authorizing: Authorizing,
  session: ConnectorSession | undefined,
  found: FoundInteraction | undefined,
  context: SignInContext,
): Promise<BrowserAnswer> {
  const userId = session?.userId;
  const { secret, binding } = await saveInteraction(
    { ...authorizing, ...(userId !== undefined && { userId }), stage: "consent" },
    found,
    context,
  );
  return { redirect: consentPageURL(context.provider, secret), binding };
}

/** The connector is the only one, the one of the last sign-in, or the one that the person chooses. */
async function signIn(
  authorizing: Authorizing,
  client: OAuthClient,
  session: ConnectorSession | undefined,
  found: FoundInteraction | undefined,
  context: SignInContext,
): Promise<BrowserAnswer> {
  const { prompt } = authorizing.request;
  const allowed = context.connectors.filter(({ settings }) => client.connectors.includes(settings.name));
  const former = allowed.find(({ settings }) => settings.name === session?.signIn.connector);
  const only = allowed.length === 1 ? allowed[0] : undefined;
  const connector = only ?? (prompt.includes("select_account") ? undefined : former);
  if (connector !== undefined) return forwardTo(connector, authorizing, found, context);
  if (allowed.length === 0) {
    throw new OAuthError("server_error", { description: "there is nowhere to sign in for this client" });
  }
  if (prompt.includes("none")) throw new OAuthError("login_required", { description: "nobody is signed in" });
  const { secret, binding } = await saveInteraction({ ...authorizing, stage: "connector" }, found, context);
  return { redirect: consentPageURL(context.provider, secret), binding };
}

async function answer(
  { request, isConsented }: Authorizing,
  client: OAuthClient,
  session: ConnectorSession,
  found: FoundInteraction | undefined,
  context: SignInContext,
): Promise<BrowserAnswer> {
  if (found !== undefined) await finishInteraction(found, context.dependencies);
  const code = await issueCode({ request, client, session, isConsented }, context);
  return { redirect: codeResponse(request, code, context.provider.issuer) };
}
