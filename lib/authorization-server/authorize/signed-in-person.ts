import type { ConnectorConfiguration } from "../../config/configuration.ts";
import { resumeBrowserSession, signInsOf } from "../../directory/browser-sessions.ts";
import { OAuthError } from "../../protocol/oauth/errors.ts";
import { isSameIssuer, issuerFromWellKnown } from "../../protocol/oauth/issuer.ts";
import type { ConnectorSignIn } from "../../stores/directory.ts";
import { personId } from "../../stores/identities.ts";
import type { OAuthClient } from "../clients/client.ts";
import type { Form } from "../form.ts";
import { readIdTokenHint } from "../openid/id-token.ts";
import type { AuthorizationServerPorts } from "../ports.ts";
import type { AuthorizationRequest } from "./authorization-request.ts";
import type { ConnectorSession } from "./next-step.ts";
import type { BrowserContext } from "./sign-in-context.ts";

/**
 * The browser's session, if its person signed in through a connector that this client allows and that still has the same issuer.
 * It is given as that of this sign-in and its account, with the others behind it: which was first is nothing to the client.
 */
export async function knownSession(
  client: Pick<OAuthClient, "connectors">,
  { dependencies, connectors, browser }: BrowserContext,
): Promise<ConnectorSession | undefined> {
  if (browser.session === undefined) return undefined;
  const session = await resumeBrowserSession(dependencies, browser.session);
  if (session === undefined) return undefined;
  const settings = connectors.map((connector) => connector.settings);
  const signIns = signInsOf(session);
  const signIn = signIns.find((one) => client.connectors.includes(one.connector) && isOfCurrentIssuer(one, settings));
  if (signIn === undefined || signIn === session.signIn) return signIn && session;
  return { ...session, userId: personId(signIn), signIn, further: signIns.filter((one) => one !== signIn) };
}

/** Whether the connector of a sign-in still has the same provider. People of a former one are not its people. */
export function isOfCurrentIssuer(
  { connector: name, issuer }: Pick<ConnectorSignIn, "connector" | "issuer">,
  connectors: readonly ConnectorConfiguration[],
): boolean {
  const connector = connectors.find((one) => one.name === name);
  const expected = connector && issuerOf(connector);
  return expected !== undefined && isSameIssuer(expected, issuer);
}

/** Of the connectors of a configuration, with which they are forgotten: requests for web apps ask with each of them. */
const issuers = new WeakMap<ConnectorConfiguration, { readonly issuer: string | undefined }>();

function issuerOf(connector: ConnectorConfiguration): string | undefined {
  const known = issuers.get(connector) ?? { issuer: issuerFromWellKnown(connector.wellKnownURL) };
  issuers.set(connector, known);
  return known.issuer;
}

type Expecting = Pick<AuthorizationRequest, "expectedUserId">;

/**
 * The person of `id_token_hint`; nothing else of the token is kept.
 *
 * @throws {OAuthError} `invalid_request` unless it is an ID token that was issued here to this client
 */
export async function readExpectedPerson(
  form: Form,
  { clientId }: Pick<OAuthClient, "clientId">,
  dependencies: AuthorizationServerPorts,
): Promise<Expecting> {
  const text = form.get("id_token_hint");
  if (text === undefined) return {};
  const hint = await readIdTokenHint(text, dependencies);
  if (hint?.clientId === clientId) return { expectedUserId: hint.userId };
  throw new OAuthError("invalid_request", { description: "id_token_hint is not an ID token of the client's" });
}

/** Whether a request is about this person; true if it names nobody (OpenID Connect Core 1.0 §3.1.2.1). */
export function isExpected(userId: string, { expectedUserId }: Expecting): boolean {
  return expectedUserId === undefined || expectedUserId === userId;
}

/** Tells the client that another person signed in. It does not say who either of them is. */
export function notExpected(): OAuthError {
  return new OAuthError("login_required", { description: "the person of the ID token did not sign in" });
}
