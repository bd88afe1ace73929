import { sha256base64url } from "#sha256";
import {
  beginInteraction,
  type ConnectAtProvider,
  type ConnectConsent,
  type ConnectReplacement,
  type FoundInteraction,
  findInteraction,
} from "../authorization-server/authorize/interaction.ts";
import type { BrowserAnswer } from "../authorization-server/authorize/sign-in-context.ts";
import type { OAuthConnectorConfiguration } from "../config/configuration.ts";
import { CONNECT, INTERACTION } from "../config/endpoints.ts";
import { type FoundConnectRequest, findConnectRequest } from "../connections/connect-request.ts";
import { PageError } from "../pages/page-error.ts";
import type { ConnectContext } from "./connect-context.ts";
import { linkOver } from "./refusals.ts";

type Step = ConnectConsent | ConnectAtProvider | ConnectReplacement;

/** The request of a link. @throws {PageError} it is over */
export async function requireRequest(id: string, { dependencies }: ConnectContext): Promise<FoundConnectRequest> {
  const asked = await findConnectRequest(id, dependencies);
  if (asked === undefined) throw linkOver("no such connect request, or not any more");
  requireConnector(asked.request.connector, dependencies.configuration().configuration);
  return asked;
}

/** @throws {PageError} it is not configured any more */
export function requireConnector(
  name: string,
  { oauthConnectors }: { readonly oauthConnectors: readonly OAuthConnectorConfiguration[] },
): OAuthConnectorConfiguration {
  const connector = oauthConnectors.find((one) => one.name === name);
  if (connector === undefined) throw linkOver("the connector is gone");
  return connector;
}

/** Begins a step on the page of a link, and sends the browser there: reloading the page repeats nothing. */
export async function stepOnPage(
  step: ConnectConsent | ConnectReplacement,
  { browser, dependencies }: Pick<ConnectContext, "browser" | "dependencies">,
): Promise<BrowserAnswer> {
  const { secret, binding } = await beginInteraction(step, browser, dependencies);
  return { redirect: `${CONNECT}/${step.id}?${INTERACTION}=${secret}`, binding };
}

/**
 * The step of a secret, in the browser and the session that it began in: a form that another site sends has no secret, and an
 * answer of the provider that was begun elsewhere finds no step.
 *
 * @throws {PageError}
 */
export async function requireStep<Stage extends Step["stage"]>(
  secret: string | undefined,
  stages: readonly Stage[],
  { browser, dependencies }: ConnectContext,
): Promise<FoundInteraction<Extract<Step, { readonly stage: Stage }>>> {
  let found: FoundInteraction<Extract<Step, { readonly stage: Stage }>>;
  try {
    found = (await findInteraction(secret, stages, browser, dependencies)) as typeof found;
  } catch (error) {
    if (!(error instanceof PageError)) throw error;
    throw stepOver(error.detail ?? "");
  }
  const { sessionHash } = found.interaction;
  if (browser.session === undefined || sha256base64url(browser.session) !== sessionHash) {
    throw stepOver("the session is another one, or none");
  }
  return found;
}

/**
 * The verifier of a step (RFC 7636 §4.1). It is made of what one browser alone has, `state` in the address and the binding in the
 * cookie. The store has hashes of both, so that nobody finds it there.
 */
export function verifierOf({ state, binding }: { readonly state: string; readonly binding: string }): string {
  return sha256base64url(`countersign connect verifier\0${state}\0${binding}`);
}

function stepOver(detail: string): PageError {
  return new PageError(({ connect }) => connect.pageOver, { detail });
}
