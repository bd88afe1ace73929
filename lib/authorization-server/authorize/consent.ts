import { consentEndpoint, INTERACTION } from "../../config/endpoints.ts";
import { PageError } from "../../pages/page-error.ts";
import { OAuthError } from "../../protocol/oauth/errors.ts";
import type { OAuthClient } from "../clients/client.ts";
import type { Form } from "../form.ts";
import { refuse } from "./authorization-response.ts";
import { forwardTo } from "./forward-to-connector.ts";
import {
  type ConnectorChoice,
  type ConsentInteraction,
  type FoundInteraction,
  findInteraction,
  finishInteraction,
} from "./interaction.ts";
import { proceed } from "./proceed.ts";
import { currentClient } from "./response-target.ts";
import type { BrowserAnswer, SignInContext } from "./sign-in-context.ts";
import { connectorPage, consentPage } from "./sign-in-pages.ts";
import { knownSession } from "./signed-in-person.ts";

const STAGES = ["consent", "connector"] as const;

/** The page of a sign-in that waits for its person. @throws {PageError} there is none in this browser */
export async function showDecision(form: Form, context: SignInContext): Promise<BrowserAnswer> {
  const { dependencies, browser, provider, request } = context;
  const { secret, interaction } = await findInteraction(form.get(INTERACTION), STAGES, browser, dependencies);
  const client = await currentClient(interaction.request, dependencies);
  const shown = { action: new URL(consentEndpoint(provider)).pathname, requestId: request.requestId };
  if (interaction.stage === "connector") {
    const { name, connectors } = client;
    return { page: connectorPage({ ...shown, name, connectors, field: { name: INTERACTION, value: secret } }) };
  }
  const session = interaction.userId === undefined ? undefined : await knownSession(client, context);
  const { scopeDescriptions } = provider;
  const asked = { client, request: interaction.request, scopeDescriptions };
  return { page: consentPage({ ...shown, ...asked, secret, signIn: session?.signIn }) };
}

/** Takes the person's decision. Each page counts once. @throws {PageError} */
export async function takeDecision(form: Form, context: SignInContext): Promise<BrowserAnswer> {
  const { dependencies, browser } = context;
  const found = await findInteraction(form.get(INTERACTION), STAGES, browser, dependencies);
  const client = await currentClient(found.interaction.request, dependencies);
  try {
    return isConsent(found)
      ? await consentDecided(form, client, found, context)
      : await connectorChosen(form, client, found as FoundInteraction<ConnectorChoice>, context);
  } catch (error) {
    if (!(error instanceof OAuthError)) throw error;
    return refuse(found.interaction.request, error, context);
  }
}

function isConsent(found: FoundInteraction): found is FoundInteraction<ConsentInteraction> {
  return found.interaction.stage === "consent";
}

async function consentDecided(
  form: Form,
  client: OAuthClient,
  found: FoundInteraction<ConsentInteraction>,
  context: SignInContext,
): Promise<BrowserAnswer> {
  const { stage: _, ...authorizing } = found.interaction;
  const decision = form.get("decision");
  if (decision === "deny") {
    await finishInteraction(found, context.dependencies);
    throw new OAuthError("access_denied", { description: "the person refused" });
  }
  if (decision !== "allow") throw unclear("no decision");
  await requireSamePerson(found.interaction, client, context);
  return proceed({ ...authorizing, isConsented: true }, client, context, found);
}

/** Only the person who saw the page can consent. */
async function requireSamePerson(
  { userId }: ConsentInteraction,
  client: OAuthClient,
  context: SignInContext,
): Promise<void> {
  if (userId === undefined || (await knownSession(client, context))?.userId === userId) return;
  throw new PageError(({ errors }) => errors.otherPerson, {
    detail: "the session is another one than the consent page's",
  });
}

async function connectorChosen(
  form: Form,
  client: OAuthClient,
  found: FoundInteraction<ConnectorChoice>,
  context: SignInContext,
): Promise<BrowserAnswer> {
  const { stage: _, ...authorizing } = found.interaction;
  const name = form.get("connector");
  const connector = context.connectors.find(({ settings }) => settings.name === name);
  if (connector === undefined || !client.connectors.includes(connector.settings.name)) throw unclear("no connector");
  return forwardTo(connector, authorizing, found, context);
}

function unclear(detail: string): PageError {
  return new PageError(({ errors }) => errors.unclear, { detail });
}
