import { callbackURL, newSignInSecrets, signInURL } from "../../connectors/begin-sign-in.ts";
import type { Connector } from "../../connectors/connectors.ts";
import type { ConnectorMetadata } from "../../connectors/metadata.ts";
import { PageError } from "../../pages/page-error.ts";
import { OAuthError } from "../../protocol/oauth/errors.ts";
import type { AuthorizationRequest } from "./authorization-request.ts";
import type { Authorizing, FoundInteraction } from "./interaction.ts";
import { saveInteraction } from "./interaction.ts";
import type { BrowserAnswer, SignInContext } from "./sign-in-context.ts";

/**
 * Sends the person to a connector (303).
 *
 * @throws {PageError} it does not answer
 * @throws {OAuthError} `temporarily_unavailable`: the same where no page may be shown
 */
export async function forwardTo(
  connector: Connector,
  authorizing: Authorizing,
  found: FoundInteraction | undefined,
  context: SignInContext,
): Promise<BrowserAnswer> {
  const { request } = authorizing;
  const metadata = await metadataOf(connector, request, context);
  const secrets = newSignInSecrets(connector);
  const { name } = connector.settings;
  const beganAt = context.dependencies.clock.now();
  const { secret, binding } = await saveInteraction(
    { ...authorizing, stage: "sign_in", connector: name, ...secrets, beganAt },
    found,
    context,
  );
  const url = await signInURL(connector, metadata, {
    ...secrets,
    redirectURL: callbackURL(connector, context.endpoints),
    state: secret,
    wishes: { ...request, prompt: promptFor(authorizing) },
  });
  return { redirect: url, binding };
}

/** `consent` is not passed on: consent is between the person and us. If another person is signed in, the connector must ask. */
function promptFor({ request: { prompt }, isAnother }: Authorizing): readonly string[] {
  const passedOn = prompt.filter((value) => value !== "consent");
  return passedOn.length === 0 && isAnother ? ["login"] : passedOn;
}

/** The metadata of a connector, if it answers. */
export async function metadataOf(
  connector: Connector,
  { prompt }: Pick<AuthorizationRequest, "prompt">,
  { request }: Pick<SignInContext, "request">,
): Promise<ConnectorMetadata> {
  const metadata = await connector.metadata.get(request.waitUntil);
  if (metadata !== undefined) return metadata;
  const detail = `the connector ${connector.settings.name} is not available`;
  if (prompt.includes("none")) {
    throw new OAuthError("temporarily_unavailable", { description: "the identity provider does not answer", detail });
  }
  throw new PageError(({ errors }) => errors.noProvider, { status: 503, detail });
}
