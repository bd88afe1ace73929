import type { Context } from "hono";
import { beginConnectorSignIn as begin, parseConnectorSignIn } from "../../lib/directory/connector-sign-in/begin.ts";
import {
  type ConnectorOutcome,
  completeConnectorSignIn,
  SIGN_IN_PAGE,
} from "../../lib/directory/connector-sign-in/complete.ts";
import { requireRecentSignIn } from "../../lib/directory/recent-sign-in.ts";
import { createSignInBeginLimit } from "../../lib/directory/sign-in-begin-limit.ts";
import type { ConnectorSignIn } from "../../lib/management/schemas/sign-in.ts";
import { OAuthError } from "../../lib/oauth/errors.ts";
import { parseForm } from "../../lib/oauth/form.ts";
import type { Env } from "../env.ts";
import type { SignInEndpoint } from "../middleware/browser.ts";
import { authenticatePerson } from "../middleware/caller.ts";
import { readConnectorCookie, writeConnectorCookie } from "../middleware/ceremony-cookies.ts";
import { refuseCrossSite } from "../middleware/csrf.ts";
import { answerJson, readJsonBody } from "../middleware/json-body.ts";
import { writeConsoleCookie } from "../middleware/session-cookie.ts";
import { signInRequest } from "../middleware/sign-in-request.ts";

/**
 * POST `{returnTo?, link?, invitation?}`: 200 with the address at the connector. Only our own pages can begin, so that nobody
 * is sent through a sign-in by a link (D133).
 */
export const beginConnectorSignIn: SignInEndpoint = (dependencies, connectors) => {
  const limit = createSignInBeginLimit(dependencies.clock);
  return async (c) => {
    refuseCrossSite(c, dependencies.configuration().configuration);
    const asked = parseConnectorSignIn((await readJsonBody(c)) ?? {});
    limit.admit(c.get("request").remoteAddress);
    const person = asked.isLink ? await authenticatePerson(dependencies, c, "member") : undefined;
    if (person !== undefined) await requireRecentSignIn(dependencies, person);
    const start = {
      ...asked,
      connector: c.req.param("connector") ?? "",
      person,
      browser: readConnectorCookie(c),
    };
    const { location, browser } = await begin(dependencies, connectors, start, c.get("request"));
    writeConnectorCookie(c, browser);
    return answerJson<ConnectorSignIn>(c, { location });
  };
};

/** GET: where connectors send people back to (RFC 6749 §3.1.2). 303 to a page of the Console, whatever came of it. */
export const connectorSignInCallback: SignInEndpoint = (dependencies, connectors) => {
  const complete = completeConnectorSignIn(dependencies, connectors);
  return async (c) => {
    const { configuration } = dependencies.configuration();
    const { baseURL } = configuration.console;
    const parameters = callbackParameters(c);
    const browser = readConnectorCookie(c);
    const request = { ...c.get("request"), ...signInRequest(c, configuration) };
    const outcome = parameters === undefined ? UNREADABLE : await complete({ parameters, browser }, request);
    // An invitation's secret has done what it was there for, unless somebody only led the browser here.
    const isOver = !("answersNone" in outcome);
    if (isOver && browser?.invitation !== undefined) writeConnectorCookie(c, { binding: browser.binding });
    c.header("Cache-Control", "no-store");
    if ("problem" in outcome) {
      const { problem, returnTo } = outcome;
      const separator = returnTo.includes("?") ? "&" : "?";
      return c.body(null, 303, { Location: `${baseURL}${returnTo}${separator}problem=${problem}` });
    }
    if (outcome.session !== undefined) writeConsoleCookie(c, configuration, outcome.session);
    return c.body(null, 303, { Location: `${baseURL}${outcome.returnTo}` });
  };
};

const UNREADABLE: ConnectorOutcome = { problem: "failed", returnTo: SIGN_IN_PAGE, answersNone: true };

/** Undefined when they are malformed or one comes twice. */
function callbackParameters(c: Context<Env>): URLSearchParams | undefined {
  try {
    return new URLSearchParams([...parseForm(new URL(c.req.url).search.slice(1))]);
  } catch (error) {
    if (error instanceof OAuthError) return undefined;
    throw error;
  }
}
