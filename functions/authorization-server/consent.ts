import { showDecision, takeDecision } from "../../lib/authorization-server/authorize/consent.ts";
import { parseForm, readForm } from "../../lib/authorization-server/form.ts";
import { answerBrowser, refuseForeignForm, type SignInEndpoint, signInContext } from "../middleware/browser.ts";

/** GET: the page where a person allows or denies, or chooses where to sign in. POST: what the person decided. */
export const consent: SignInEndpoint = (dependencies, connectors) => async (c) => {
  const context = signInContext(c, dependencies, connectors);
  if (c.req.method === "GET") {
    const query = parseForm(new URL(c.req.url).search.slice(1));
    return answerBrowser(c, context, await showDecision(query, context));
  }
  refuseForeignForm(c, context);
  return answerBrowser(c, context, await takeDecision(await readForm(c.req.raw), context));
};
