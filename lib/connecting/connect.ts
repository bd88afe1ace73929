import {
  beginInteraction,
  type ConnectConsent,
  type ConnectReplacement,
  type FoundInteraction,
  finishInteraction,
} from "../authorization-server/authorize/interaction.ts";
import type { BrowserAnswer } from "../authorization-server/authorize/sign-in-context.ts";
import type { Form } from "../authorization-server/form.ts";
import { connectCallbackURL, INTERACTION } from "../config/endpoints.ts";
import { type FoundConnectRequest, prolongConnectRequest } from "../connections/connect-request.ts";
import { PageError } from "../pages/page-error.ts";
import { completeAccount } from "./callback.ts";
import { type AccountProvider, AccountProviderError, type ConnectContext } from "./connect-context.ts";
import { connectPage, keptPage, replacementPage } from "./connect-pages.ts";
import { agentName, type Opener, openerOf } from "./opener.ts";
import { recordRefused, refuseAnother, refusedByPerson, refuseForProvider, refuseSuspended } from "./refusals.ts";
import { askToSignIn, signInAt } from "./sign-in.ts";
import { requireConnector, requireRequest, requireStep, stepOnPage, verifierOf } from "./steps.ts";

const ON_PAGE = ["connect", "connect_replace"] as const;

type OnPage = FoundInteraction<ConnectConsent | ConnectReplacement>;
type Asker = Extract<Opener, { readonly kind: "asker" }>;

/**
 * Somebody opens a link (D213): the one whose call asked for the account gets its page, after signing in. Everybody else learns that
 * it is not theirs.
 *
 * @throws {PageError}
 */
export async function openConnect(id: string, query: Form, context: ConnectContext): Promise<BrowserAnswer> {
  const asked = await requireRequest(id, context);
  const secret = query.get(INTERACTION);
  // A session cookie that reaches other hosts may have been set by one of them, in a browser that is somebody else's.
  const isProven =
    secret !== undefined || context.dependencies.configuration().configuration.session.cookieDomain === undefined;
  if (!isProven) return askToSignIn(asked, context);
  const opener = await openerOf(asked.request, context);
  if (opener.kind !== "asker") return refuse(opener, asked, context);
  if (secret === undefined) return stepOnPage({ stage: "connect", id, sessionHash: opener.sessionHash }, context);
  return showPage(await requireOwnStep(secret, id, context), asked, opener, context);
}

/** The person decided on the page of a link. Each page counts once. @throws {PageError} */
export async function decideConnect(id: string, form: Form, context: ConnectContext): Promise<BrowserAnswer> {
  const asked = await requireRequest(id, context);
  if (form.has("connector")) return signInAt(form.get("connector"), asked, context);
  const step = await requireOwnStep(form.get(INTERACTION), id, context);
  const opener = await openerOf(asked.request, context);
  if (opener.kind !== "asker") return refuse(opener, asked, context);
  const decision = form.get("decision");
  if (isReplacement(step)) {
    if (decision === "replace") return replace(step, asked, context);
    if (decision === "keep") return keep(step, asked, context);
  } else {
    if (decision === "connect") return goToProvider(step, asked, context);
    if (decision === "deny") {
      await finishInteraction(step, context.dependencies);
      return refusedByPerson(asked, "here", context);
    }
  }
  throw new PageError(({ errors }) => errors.unclear, { detail: "no decision" });
}

function refuse(
  opener: Exclude<Opener, Asker>,
  asked: FoundConnectRequest,
  context: ConnectContext,
): Promise<BrowserAnswer> {
  if (opener.kind === "nobody") return askToSignIn(asked, context);
  context.request.authenticated(opener.userId);
  if (opener.kind === "another") return refuseAnother(asked, opener.userId, context);
  return refuseSuspended(asked, opener.userId, context);
}

async function requireOwnStep(secret: string | undefined, id: string, context: ConnectContext): Promise<OnPage> {
  const step = await requireStep(secret, ON_PAGE, context);
  if (step.interaction.id === id) return step;
  throw new PageError(({ connect }) => connect.otherLink, { detail: "of another request" });
}

function isReplacement(step: OnPage): step is FoundInteraction<ConnectReplacement> {
  return step.interaction.stage === "connect_replace";
}

async function showPage(
  step: OnPage,
  asked: FoundConnectRequest,
  { signIn }: Asker,
  context: ConnectContext,
): Promise<BrowserAnswer> {
  const { requestId } = context.request;
  const content = { ...asked, secret: step.secret, requestId };
  if (isReplacement(step)) return { page: replacementPage({ ...content, ...step.interaction, requestId }) };
  const provider = await providerOf(asked, context);
  if (!("resolved" in provider)) return provider;
  const { host } = new URL(provider.resolved.authorizationURL);
  return { page: connectPage({ ...content, signIn, host, agentName: await agentName(asked.request, context) }) };
}

/** Sends the person to the provider. Its answer counts once, in this browser and this session alone. */
async function goToProvider(
  step: FoundInteraction,
  asked: FoundConnectRequest,
  context: ConnectContext,
): Promise<BrowserAnswer> {
  const { dependencies, browser } = context;
  const { configuration } = dependencies.configuration();
  const { connector, id, sessionHash } = { ...asked.request, ...(step.interaction as ConnectConsent) };
  const provider = await providerOf(asked, context);
  if (!("resolved" in provider)) return provider;
  await finishInteraction(step, dependencies);
  await prolongConnectRequest(asked, dependencies);
  const { disablePKCE } = requireConnector(connector, configuration);
  const { tokenURL, issuer, clientID } = provider.resolved;
  const { secret: state, binding } = await beginInteraction(
    {
      ...{ stage: "connect_provider", id, sessionHash, connector, tokenURL, clientID },
      ...(issuer !== undefined && { issuer }),
      hasVerifier: !disablePKCE,
    },
    browser,
    dependencies,
  );
  const redirectURL = connectCallbackURL(connector, configuration);
  const verifier = disablePKCE ? {} : { codeVerifier: verifierOf({ state, binding }) };
  return { redirect: await provider.authorizationURL({ state, redirectURL, ...verifier }), binding };
}

/** The provider, or the answer where it cannot be found. */
async function providerOf(
  asked: FoundConnectRequest,
  context: ConnectContext,
): Promise<AccountProvider | BrowserAnswer> {
  try {
    return await context.accounts.provider(asked.request);
  } catch (error) {
    if (!(error instanceof AccountProviderError)) throw error;
    return refuseForProvider(asked, error, context);
  }
}

/** The new account takes the former one's place. */
async function replace(
  step: FoundInteraction<ConnectReplacement>,
  asked: FoundConnectRequest,
  context: ConnectContext,
): Promise<BrowserAnswer> {
  await finishInteraction(step, context.dependencies);
  const obtained = await context.accounts.held(asked.request, step.interaction.held);
  if (obtained !== undefined) return completeAccount(asked, obtained, context);
  const message = "what was held cannot be opened any more";
  return refuseForProvider(asked, { failure: "unavailable", message }, context);
}

/** The former account stays, and the tokens of the other one serve nobody. */
async function keep(
  step: FoundInteraction<ConnectReplacement>,
  asked: FoundConnectRequest,
  context: ConnectContext,
): Promise<BrowserAnswer> {
  await finishInteraction(step, context.dependencies);
  const { held, former } = step.interaction;
  await context.accounts.discardHeld(asked.request, held);
  await recordRefused(asked, "the person kept the former account", asked.request.person, context);
  return { page: keptPage({ request: asked.request, former, requestId: context.request.requestId }) };
}
