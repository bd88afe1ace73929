import { createSignInLimit } from "../../lib/authorization-server/authorize/authorize.ts";
import { parseForm, readForm } from "../../lib/authorization-server/form.ts";
import { confirmSignOut, signedOut, signOut } from "../../lib/authorization-server/sign-out.ts";
import { INTERACTION } from "../../lib/config/endpoints.ts";
import { answerBrowser, browserContext, refuseForeignForm, type SignInEndpoint } from "../middleware/browser.ts";

/**
 * OpenID Connect RP-Initiated Logout 1.0 §2: GET or POST by a client, POST by our own page. A form of a client comes without
 * our cookies (`SameSite=Lax`), so it is sent round once more as GET.
 */
export const endSession: SignInEndpoint = (dependencies, connectors) => {
  const limit = createSignInLimit(dependencies.clock);
  return async (c) => {
    const context = browserContext(c, dependencies, connectors);
    if (c.req.method === "GET") {
      const text = new URL(c.req.url).search.slice(1);
      limit.admit(context.request.remoteAddress, text);
      return answerBrowser(c, context, await signOut(parseForm(text), context));
    }
    const form = await readForm(c.req.raw);
    if (!form.has(INTERACTION)) {
      const query = new URLSearchParams([...form]);
      return answerBrowser(c, context, { redirect: `${context.endpoints.endSession}?${query}` });
    }
    refuseForeignForm(c, context);
    return answerBrowser(c, context, await confirmSignOut(form, context));
  };
};

/** Where a connector sends people to whom it signed out, if its `oauthLogoutRedirect` is another address of this instance. */
export const afterSignOut: SignInEndpoint = (dependencies, connectors) => async (c) => {
  const context = browserContext(c, dependencies, connectors);
  return answerBrowser(c, context, await signedOut(parseForm(new URL(c.req.url).search.slice(1)), context));
};
