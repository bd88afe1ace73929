import { createSignInLimit } from "../../lib/authorization-server/authorize/authorize.ts";
import { parseForm, readForm } from "../../lib/authorization-server/form.ts";
import { answerProvider } from "../../lib/connecting/callback.ts";
import { decideConnect, openConnect } from "../../lib/connecting/connect.ts";
import type { AccountConnections } from "../../lib/connecting/connect-context.ts";
import { answerBrowser, browserContext, refuseForeignForm, type SignInEndpoint } from "../middleware/browser.ts";

/** The link that a person connects an account by. GET: its page, after signing in. POST: what the person decided there. */
export function connect(accounts: AccountConnections): SignInEndpoint {
  return (dependencies, connectors) => {
    const limit = createSignInLimit(dependencies.clock);
    return async (c) => {
      const context = { ...browserContext(c, dependencies, connectors), dependencies, accounts };
      const id = c.req.param("id") ?? "";
      if (c.req.method === "POST") {
        refuseForeignForm(c, context);
        return answerBrowser(c, context, await decideConnect(id, await readForm(c.req.raw), context));
      }
      const query = new URL(c.req.url).search.slice(1);
      limit.admit(context.request.remoteAddress, query);
      return answerBrowser(c, context, await openConnect(id, parseForm(query), context));
    };
  };
}

/** Where the provider of a connector sends people back to (RFC 6749 §3.1.2): each has an address of its own. */
export function connectCallback(accounts: AccountConnections): SignInEndpoint {
  return (dependencies, connectors) => async (c) => {
    const context = { ...browserContext(c, dependencies, connectors), dependencies, accounts };
    const answer = parseForm(new URL(c.req.url).search.slice(1));
    return answerBrowser(c, context, await answerProvider(c.req.param("connector") ?? "", answer, context));
  };
}
