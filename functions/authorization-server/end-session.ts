import { createSignInLimit } from "../../lib/authorization-server/authorize/authorize.ts";
import type { BrowserAnswer, BrowserContext } from "../../lib/authorization-server/authorize/sign-in-context.ts";
import { type Form, parseForm, readForm } from "../../lib/authorization-server/form.ts";
import { confirmSignOut, signedOut, signOut, signOutEverywhere } from "../../lib/authorization-server/sign-out.ts";
import type { SingleLogoutConfiguration } from "../../lib/config/configuration.ts";
import { INTERACTION } from "../../lib/config/endpoints.ts";
import { answerBrowser, browserContext, refuseForeignForm, type SignInEndpoint } from "../middleware/browser.ts";

/**
 * OpenID Connect RP-Initiated Logout 1.0 §2: GET or POST by a client, POST by our own page. A form of a client comes without
 * our cookies (`SameSite=Lax`), so it is sent round once more as GET.
 */
export const endSession: SignInEndpoint = signOutEndpoint(({ endpoints }) => ({
  url: endpoints.endSession,
  begin: signOut,
}));

/** `singleLogout`: the same for whoever signs out of everything. */
export function singleLogout(configuration: SingleLogoutConfiguration): SignInEndpoint {
  const begin = (form: Form, context: BrowserContext) => signOutEverywhere(form, configuration, context);
  return signOutEndpoint(() => ({ url: configuration.url, begin }));
}

interface SignOutEndpoint {
  readonly url: string;
  /** What a link or a client does. */
  readonly begin: (form: Form, context: BrowserContext) => Promise<BrowserAnswer>;
}

function signOutEndpoint(of: (context: BrowserContext) => SignOutEndpoint): SignInEndpoint {
  return (dependencies, connectors) => {
    const limit = createSignInLimit(dependencies.clock);
    return async (c) => {
      const context = browserContext(c, dependencies, connectors);
      const { url, begin } = of(context);
      if (c.req.method === "GET") {
        const text = new URL(c.req.url).search.slice(1);
        limit.admit(context.request.remoteAddress, text);
        return answerBrowser(c, context, await begin(parseForm(text), context));
      }
      const form = await readForm(c.req.raw);
      if (!form.has(INTERACTION)) {
        return answerBrowser(c, context, { redirect: `${url}?${new URLSearchParams([...form])}` });
      }
      refuseForeignForm(c, context);
      return answerBrowser(c, context, await confirmSignOut(form, context));
    };
  };
}

/** Where a connector sends people to whom it signed out, if its `oauthLogoutRedirect` is another address of this instance. */
export const afterSignOut: SignInEndpoint = (dependencies, connectors) => async (c) => {
  const context = browserContext(c, dependencies, connectors);
  return answerBrowser(c, context, await signedOut(parseForm(new URL(c.req.url).search.slice(1)), context));
};
