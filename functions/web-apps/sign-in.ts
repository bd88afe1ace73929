import { createSignInLimit } from "../../lib/authorization-server/authorize/authorize.ts";
import { parseForm, readForm } from "../../lib/authorization-server/form.ts";
import { beginLogin, takeOver } from "../../lib/web-apps/app-host.ts";
import { beginAppSignIn, chooseConnector } from "../../lib/web-apps/app-sign-in.ts";
import { answerBrowser, appSignInContext, refuseForeignForm, type SignInEndpoint } from "../middleware/browser.ts";

/** On our host, where web apps send people to. GET: the next step of a sign-in. POST: the connector that a person chose. */
export const appSignIn: SignInEndpoint = (dependencies, connectors) => {
  const limit = createSignInLimit(dependencies.clock);
  return async (c) => {
    const context = appSignInContext(c, dependencies, connectors);
    const isChoice = c.req.method === "POST";
    if (isChoice) refuseForeignForm(c, context);
    const text = new URL(c.req.url).search.slice(1);
    limit.admit(context.request.remoteAddress, text);
    const answer = isChoice
      ? await chooseConnector(await readForm(c.req.raw), context)
      : await beginAppSignIn(parseForm(text), context);
    return answerBrowser(c, context, answer);
  };
};

/** On the host of a web app: begins the sign-in that a script or a form was told of. */
export const appLogin: SignInEndpoint = (dependencies, connectors) => async (c) => {
  const context = appSignInContext(c, dependencies, connectors);
  return answerBrowser(c, context, await beginLogin(parseForm(new URL(c.req.url).search.slice(1)), context));
};

/** On the host of a web app: takes over the session of a person who signed in on ours. */
export const appSignedIn: SignInEndpoint = (dependencies, connectors) => async (c) => {
  const context = appSignInContext(c, dependencies, connectors);
  return answerBrowser(c, context, await takeOver(parseForm(new URL(c.req.url).search.slice(1)), context));
};
