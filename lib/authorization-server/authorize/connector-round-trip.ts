import { callbackURL, newSignInSecrets, signInURL } from "../../connectors/begin-sign-in.ts";
import { type CompletedSignIn, ConnectorSignInError, completeSignIn } from "../../connectors/complete-sign-in.ts";
import type { Connector } from "../../connectors/connectors.ts";
import { usefulClaims } from "../person-claims.ts";
import { failurePage, knownConnector } from "./callback.ts";
import { metadataOf } from "./forward-to-connector.ts";
import { type AppSignIn, beginInteraction, type ConnectSignIn, type FoundInteraction } from "./interaction.ts";
import type { BrowserAnswer, BrowserContext } from "./sign-in-context.ts";

/** A sign-in at a connector that no authorization request asked for. */
type OwnSignIn = AppSignIn | ConnectSignIn;
type Begun = OwnSignIn extends infer One ? (One extends OwnSignIn ? Omit<One, keyof Secrets> : never) : never;
type Secrets = Pick<OwnSignIn, "connector" | "nonce" | "codeVerifier">;

/** Sends the person to a connector, which sends them back to our callback. From here on the sign-in is stored. */
export async function goToConnector(
  connector: Connector,
  begun: Begun,
  prompt: readonly string[],
  context: BrowserContext,
): Promise<BrowserAnswer> {
  const { dependencies, browser, endpoints } = context;
  const metadata = await metadataOf(connector, { prompt: [] }, context);
  const secrets = newSignInSecrets(connector);
  const step = { ...begun, connector: connector.settings.name, ...secrets };
  const { secret, binding } = await beginInteraction(step, browser, dependencies);
  const redirectURL = callbackURL(connector, endpoints);
  const wishes = { prompt, acrValues: [] };
  return {
    redirect: await signInURL(connector, metadata, { ...secrets, redirectURL, state: secret, wishes }),
    binding,
  };
}

/**
 * Who signed in at the connector of a step.
 *
 * @param refused told of a sign-in that failed, before the person is
 * @throws {PageError} nobody did
 */
export async function signedInAtConnector(
  parameters: URLSearchParams,
  { secret, interaction }: Pick<FoundInteraction<OwnSignIn>, "secret" | "interaction">,
  context: BrowserContext,
  refused: (connector: string, reason: string) => Promise<void>,
): Promise<CompletedSignIn> {
  const { dependencies, endpoints } = context;
  const connector = knownConnector(interaction.connector, context);
  const { name } = connector.settings;
  try {
    return await completeSignIn(
      connector,
      await metadataOf(connector, { prompt: [] }, context),
      {
        ...interaction,
        ...{ parameters, state: secret, redirectURL: callbackURL(connector, endpoints) },
        claims: usefulClaims(name, dependencies.configuration().configuration),
      },
      dependencies,
    );
  } catch (error) {
    if (!(error instanceof ConnectorSignInError)) throw error;
    await refused(name, error.message);
    throw failurePage(error);
  }
}
