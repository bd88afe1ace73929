import { readAuthorizationParameters } from "../../lib/authorization-server/authorize/authorization-request.ts";
import { authorize as answerRequest, createSignInLimit } from "../../lib/authorization-server/authorize/authorize.ts";
import { readFormText } from "../../lib/authorization-server/form.ts";
import { OAuthError } from "../../lib/protocol/oauth/errors.ts";
import type { Endpoint } from "../env.ts";
import { answerBrowser, type SignInEndpoint, signInContext } from "../middleware/browser.ts";

/** Authorization endpoint (RFC 6749 §3.1): GET with a query, or POST with a form. */
export const authorize: SignInEndpoint = (dependencies, connectors) => {
  const limit = createSignInLimit(dependencies.clock);
  return async (c) => {
    const context = signInContext(c, dependencies, connectors);
    const { search } = new URL(c.req.url);
    const text = c.req.method === "POST" ? await readFormText(c.req.raw) : search.slice(1);
    limit.admit(context.request.remoteAddress, text);
    return answerBrowser(c, context, await answerRequest(readAuthorizationParameters(text), context));
  };
};

/** Where no client can use it: refuses every response type, as the metadata says. It never redirects. */
export const noAuthorization: Endpoint = () => () => {
  throw new OAuthError("unsupported_response_type");
};
