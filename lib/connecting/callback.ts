import { type ConnectAtProvider, finishInteraction } from "../authorization-server/authorize/interaction.ts";
import type { BrowserAnswer } from "../authorization-server/authorize/sign-in-context.ts";
import type { Form } from "../authorization-server/form.ts";
import { connectCallbackURL } from "../config/endpoints.ts";
import {
  type FoundConnectRequest,
  findConnectRequest,
  finishConnectRequest,
  prolongConnectRequest,
} from "../connections/connect-request.ts";
import { isGranted } from "../connections/granted-scopes.ts";
import type { ProviderTokens } from "../connections/provider.ts";
import type { ResolvedProvider } from "../connections/resolved-provider.ts";
import { tellSession } from "../connections/tell-session.ts";
import { AccountProviderError, type ConnectContext } from "./connect-context.ts";
import { donePage, nameOf, refusedPage } from "./connect-pages.ts";
import { endedMeanwhile, openerOf } from "./opener.ts";
import {
  linkOver,
  recordRefused,
  refuseAnother,
  refusedByPerson,
  refuseEnded,
  refuseForProvider,
  refuseSuspended,
} from "./refusals.ts";
import { requireRequest, requireStep, stepOnPage, verifierOf } from "./steps.ts";

/**
 * Answers a person whom the provider of an account sent back (RFC 6749 §4.1.2): exactly once for each time they went there, in the
 * browser and the session in which they did.
 *
 * @param name of the connector, as the path has it
 * @throws {PageError}
 */
export async function answerProvider(name: string, answer: Form, context: ConnectContext): Promise<BrowserAnswer> {
  const found = await requireStep(answer.get("state"), ["connect_provider"], context);
  const { interaction } = found;
  await finishInteraction(found, context.dependencies);
  const asked = await requireRequest(interaction.id, context);
  const opener = await openerOf(asked.request, context);
  if (opener.kind === "another") return refuseAnother(asked, opener.userId, context);
  if (opener.kind === "suspended") return refuseSuspended(asked, opener.userId, context);
  if (opener.kind !== "asker") return refuseOther(asked, "another session came back", context);
  context.request.authenticated(asked.request.person);
  if (interaction.connector !== name) return refuseOther(asked, "the answer is another provider's", context);
  try {
    const provider = await context.accounts.provider(asked.request);
    if (!isFrom(answer, interaction, provider.resolved)) {
      return await refuseOther(asked, "the answer is another provider's", context);
    }
    const code = answer.get("code");
    if (answer.has("error") || code === undefined) return await refusedAtProvider(answer.get("error"), asked, context);
    const redirectURL = connectCallbackURL(name, context.dependencies.configuration().configuration);
    const { binding = "" } = context.browser;
    const verifier = interaction.hasVerifier ? { codeVerifier: verifierOf({ state: found.secret, binding }) } : {};
    const obtained = await provider.redeem({ code, redirectURL, ...verifier });
    return await accountObtained(interaction, asked, obtained, context);
  } catch (error) {
    if (!(error instanceof AccountProviderError)) throw error;
    return refuseForProvider(asked, error, context);
  }
}

/**
 * Keeps the account of a request, once, if its person may still use it. What another tab connected meanwhile stays, and this account
 * serves nobody.
 */
export async function completeAccount(
  asked: FoundConnectRequest,
  obtained: ProviderTokens,
  context: ConnectContext,
): Promise<BrowserAnswer> {
  const { dependencies, accounts, request } = context;
  const ended = await orDiscarded(() => endedMeanwhile(asked.request, context), obtained, asked, context);
  if (ended !== undefined) {
    await accounts.discard(asked.request, obtained);
    const isSignedOut = ended === "another session came back";
    return isSignedOut ? refuseOther(asked, ended, context) : refuseEnded(asked, ended, context);
  }
  const current = await findConnectRequest(asked.id, dependencies);
  if (current === undefined || !(await finishConnectRequest(current, dependencies))) {
    await accounts.discard(asked.request, obtained);
    throw linkOver("another tab was faster");
  }
  await orDiscarded(() => accounts.complete(asked.request, obtained, request), obtained, asked, context);
  const { session } = asked.request;
  if (session !== undefined) await tellSession(asked.id, session, dependencies);
  const { scopes, account } = obtained;
  const missing = asked.request.scopes.filter((scope) => !isGranted(scope, scopes));
  // With fewer scopes the page would only send the person here again.
  const { returnTo } = asked.request;
  if (returnTo !== undefined && missing.length === 0) return { redirect: returnTo };
  return { page: donePage({ request: asked.request, account, missing, requestId: request.requestId }) };
}

/** Tokens that nobody keeps are revoked at their provider: a store that is away, for instance, cannot keep them. */
async function orDiscarded<T>(
  keep: () => Promise<T>,
  obtained: ProviderTokens,
  asked: FoundConnectRequest,
  { accounts }: ConnectContext,
): Promise<T> {
  try {
    return await keep();
  } catch (error) {
    await accounts.discard(asked.request, obtained);
    throw error;
  }
}

/**
 * Another account than before asks before it replaces, and so does one of which the provider does not say whose it is, where it said
 * so before.
 */
async function accountObtained(
  { id, sessionHash }: ConnectAtProvider,
  asked: FoundConnectRequest,
  obtained: ProviderTokens,
  context: ConnectContext,
): Promise<BrowserAnswer> {
  const { accounts, dependencies } = context;
  const orDiscard = <T>(keep: () => Promise<T>) => orDiscarded(keep, obtained, asked, context);
  const former = await orDiscard(() => accounts.formerAccount(asked.request));
  const { account } = obtained;
  if (former === undefined || former.id === account?.id) return completeAccount(asked, obtained, context);
  const names = { former: nameOf(former), next: account === undefined ? UNNAMED : nameOf(account) };
  return orDiscard(async () => {
    const current = await findConnectRequest(id, dependencies);
    if (current !== undefined) await prolongConnectRequest(current, dependencies);
    const held = await accounts.hold(asked.request, obtained);
    return stepOnPage({ stage: "connect_replace", id, sessionHash, ...names, held }, context);
  });
}

const UNNAMED = "an account that the provider did not name";

/**
 * Whether an answer is that of the provider that the person was sent to (RFC 9207 §2.4). A provider that says who it is has to; one
 * whose name is known says no other. A provider that was found anew meanwhile, and is another one, gets no code of this one.
 */
function isFrom(answer: Form, { tokenURL, issuer, clientID }: ConnectAtProvider, provider: ResolvedProvider): boolean {
  if (provider.tokenURL !== tokenURL || provider.issuer !== issuer || provider.clientID !== clientID) return false;
  const iss = answer.get("iss");
  if (iss === undefined) return !provider.sendsIssuer;
  return issuer === undefined || iss === issuer;
}

async function refusedAtProvider(
  error: string | undefined,
  asked: FoundConnectRequest,
  context: ConnectContext,
): Promise<BrowserAnswer> {
  if (error === "access_denied") return refusedByPerson(asked, "at the provider", context);
  const isDown = error === "temporarily_unavailable" || error === "server_error";
  const code = error !== undefined && /^[\w.-]{1,64}$/.test(error) ? error : "no code, and no proper error";
  const message = `the provider answered ${code}`;
  return refuseForProvider(asked, { failure: isDown ? "unavailable" : "refused", message }, context);
}

async function refuseOther(
  asked: FoundConnectRequest,
  reason: "another session came back" | "the answer is another provider's",
  context: ConnectContext,
): Promise<BrowserAnswer> {
  await recordRefused(asked, reason, undefined, context);
  return {
    page: refusedPage({
      text: ({ connect }) => (reason === "another session came back" ? connect.sessionEnded : connect.otherProvider),
      status: 400,
      again: asked.id,
      requestId: context.request.requestId,
    }),
  };
}
