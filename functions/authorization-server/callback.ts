import { answerCallback } from "../../lib/authorization-server/authorize/callback.ts";
import { parseForm } from "../../lib/authorization-server/form.ts";
import { answerBrowser, type SignInEndpoint, signInContext } from "../middleware/browser.ts";

/** Where connectors send people back to (RFC 6749 §3.1.2). */
export const callback: SignInEndpoint = (dependencies, connectors) => async (c) => {
  const context = signInContext(c, dependencies, connectors);
  const parameters = new URLSearchParams([...parseForm(new URL(c.req.url).search.slice(1))]);
  return answerBrowser(c, context, await answerCallback(parameters, context));
};
