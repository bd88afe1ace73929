import { answerCallback } from "../../lib/authorization-server/authorize/callback.ts";
import {
  type AppSignIn,
  type ConnectorSignInInteraction,
  type ConnectSignIn,
  type FoundInteraction,
  findInteraction,
} from "../../lib/authorization-server/authorize/interaction.ts";
import type { BrowserAnswer } from "../../lib/authorization-server/authorize/sign-in-context.ts";
import { parseForm } from "../../lib/authorization-server/form.ts";
import { answerConnectSignIn } from "../../lib/connecting/sign-in.ts";
import { answerAppCallback, beginAgain } from "../../lib/web-apps/app-sign-in.ts";
import { answerBrowser, appSignInContext, type SignInEndpoint, signInContext } from "../middleware/browser.ts";

/** Where connectors send people back to (RFC 6749 §3.1.2), whoever they sign in for. */
export const callback: SignInEndpoint = (dependencies, connectors) => async (c) => {
  const parameters = new URLSearchParams([...parseForm(new URL(c.req.url).search.slice(1))]);
  const context = appSignInContext(c, dependencies, connectors);
  const { oidcProvider } = dependencies.configuration().configuration;
  const stages = oidcProvider === undefined ? OF_PEOPLE : ([...OF_PEOPLE, "sign_in"] as const);
  const state = parameters.get("state") ?? undefined;
  const found = await findInteraction(state, stages, context.browser, dependencies).catch((thrown: unknown) => ({
    answer: beginAgain(thrown, context),
  }));
  if ("answer" in found) return answerBrowser(c, context, found.answer);
  return answerBrowser(c, context, await answerFor(found, parameters));

  function answerFor(found: FoundInteraction, parameters: URLSearchParams): Promise<BrowserAnswer> {
    if (isForApp(found)) return answerAppCallback(parameters, found, context);
    if (isForConnecting(found)) return answerConnectSignIn(parameters, found, context);
    const interaction = found as FoundInteraction<ConnectorSignInInteraction>;
    return answerCallback(parameters, interaction, signInContext(c, dependencies, connectors));
  }
};

/** Sign-ins that no client of ours asked for. */
const OF_PEOPLE = ["app_sign_in", "connect_sign_in"] as const;

function isForApp(found: FoundInteraction): found is FoundInteraction<AppSignIn> {
  return found.interaction.stage === "app_sign_in";
}

function isForConnecting(found: FoundInteraction): found is FoundInteraction<ConnectSignIn> {
  return found.interaction.stage === "connect_sign_in";
}
