import { answerCallback } from "../../lib/authorization-server/authorize/callback.ts";
import {
  type AppSignIn,
  type ConnectorSignInInteraction,
  type FoundInteraction,
  findInteraction,
} from "../../lib/authorization-server/authorize/interaction.ts";
import { parseForm } from "../../lib/authorization-server/form.ts";
import { answerAppCallback, beginAgain } from "../../lib/web-apps/app-sign-in.ts";
import { answerBrowser, appSignInContext, type SignInEndpoint, signInContext } from "../middleware/browser.ts";

/** Where connectors send people back to (RFC 6749 §3.1.2), whoever they sign in for. */
export const callback: SignInEndpoint = (dependencies, connectors) => async (c) => {
  const parameters = new URLSearchParams([...parseForm(new URL(c.req.url).search.slice(1))]);
  const context = appSignInContext(c, dependencies, connectors);
  const { oidcProvider } = dependencies.configuration().configuration;
  const stages = oidcProvider === undefined ? (["app_sign_in"] as const) : (["app_sign_in", "sign_in"] as const);
  const state = parameters.get("state") ?? undefined;
  const found = await findInteraction(state, stages, context.browser, dependencies).catch((thrown: unknown) => ({
    answer: beginAgain(thrown, context),
  }));
  if ("answer" in found) return answerBrowser(c, context, found.answer);
  const answer = isForApp(found)
    ? await answerAppCallback(parameters, found, context)
    : await answerCallback(
        parameters,
        found as FoundInteraction<ConnectorSignInInteraction>,
        signInContext(c, dependencies, connectors),
      );
  return answerBrowser(c, context, answer);
};

function isForApp(found: FoundInteraction): found is FoundInteraction<AppSignIn> {
  return found.interaction.stage === "app_sign_in";
}
