import type { Context } from "hono";
import { parseForm } from "../../lib/authorization-server/form.ts";
import { signOut as endSession } from "../../lib/directory/browser-sessions.ts";
import { beginConnectorSignIn, parseConnectorSignIn } from "../../lib/directory/connector-sign-in/begin.ts";
import {
  type ConnectorOutcome,
  completeConnectorSignIn,
  SIGN_IN_PAGE,
} from "../../lib/directory/connector-sign-in/complete.ts";
import { beginPasskeySignIn, signInByPasskey as passkeySignIn } from "../../lib/directory/passkeys/sign-in.ts";
import { readProfile } from "../../lib/directory/person.ts";
import { signInBySetup } from "../../lib/directory/setup.ts";
import { createSignInBeginLimit, signInByLink as linkSignIn } from "../../lib/directory/sign-in.ts";
import { requireRecentSignIn } from "../../lib/directory/sign-in-methods.ts";
import type { SIGN_IN_OPERATIONS } from "../../lib/management/operations/sign-in.ts";
import { signInOptions } from "../../lib/management/representations/sign-in-options.ts";
import type { Me, Profile } from "../../lib/management/schemas/profile.ts";
import type { ConnectorSignIn, SignInWays } from "../../lib/management/schemas/sign-in.ts";
import { OAuthError } from "../../lib/protocol/oauth/errors.ts";
import type { Env } from "../env.ts";
import { authenticatePerson } from "../middleware/caller.ts";
import {
  readConnectorCookie,
  readPasskeyCookie,
  writeConnectorCookie,
  writePasskeyCookie,
} from "../middleware/ceremony-cookies.ts";
import { refuseCrossSite } from "../middleware/csrf.ts";
import { answerJson, answerNothing, readEmptyBody, readJsonBody, readJsonObject } from "../middleware/json-body.ts";
import type { Endpoints } from "../middleware/management-endpoint.ts";
import { refuseUnknownQuery } from "../middleware/query.ts";
import { clearConsoleCookie, readConsoleCookie, writeConsoleCookie } from "../middleware/session-cookie.ts";
import { readLinkToken, signInRequest } from "../middleware/sign-in-request.ts";

export const SIGN_IN_ENDPOINTS: Endpoints<typeof SIGN_IN_OPERATIONS> = {
  /** POST `{token}`: uses a one-time sign-in link up. A session the browser had before ends; the new one is always new. */
  signInByLink: (dependencies) => {
    const signIn = linkSignIn(dependencies);
    return async (c) => {
      const { configuration } = dependencies.configuration();
      refuseCrossSite(c, configuration);
      const token = readLinkToken(await readJsonObject(c));
      const { profile, session } = await signIn(token, signInRequest(c, configuration));
      writeConsoleCookie(c, configuration, session);
      return answerJson<Profile>(c, profile);
    };
  },

  /** POST without body: ends the session on the server. Without a session there is nothing to do: 204 as well. */
  signOut: (dependencies) => async (c) => {
    const { configuration } = dependencies.configuration();
    refuseCrossSite(c, configuration);
    const cookie = readConsoleCookie(c, configuration);
    if (cookie !== undefined) await endSession(dependencies, cookie, c.get("request").requestId);
    clearConsoleCookie(c, configuration);
    return answerNothing(c);
  },

  /** GET: how people can sign in here; for anybody. */
  showSignInWays: (dependencies) => {
    const options = signInOptions(dependencies);
    return async (c) => {
      refuseUnknownQuery(c, []);
      return answerJson<SignInWays>(c, await options());
    };
  },

  /**
   * POST `{token, organization, email}`: 201 with the first organization and its owner, signed in. Works once. 200 for an
   * owner who is recovered (`console.recoverOwner`).
   */
  setUp: (dependencies) => {
    const signIn = signInBySetup(dependencies);
    return async (c) => {
      const { configuration } = dependencies.configuration();
      refuseCrossSite(c, configuration);
      const { profile, session, recovered } = await signIn(await readJsonObject(c), signInRequest(c, configuration));
      writeConsoleCookie(c, configuration, session);
      return answerJson<Profile>(c, profile, recovered ? 200 : 201);
    };
  },

  /** POST: what a browser needs to ask its person for a passkey; good for five minutes, in this browser, once. */
  beginPasskeySignIn: (dependencies) => {
    const limit = createSignInBeginLimit(dependencies.clock);
    return async (c) => {
      refuseCrossSite(c, dependencies.configuration().configuration);
      await readEmptyBody(c);
      limit.admit(c.get("request").remoteAddress);
      const { options, binding } = await beginPasskeySignIn(dependencies, readPasskeyCookie(c));
      writePasskeyCookie(c, binding);
      return answerJson<object>(c, options);
    };
  },

  /** POST with the browser's answer: signs the person in. A session the browser had before ends; the new one is always new. */
  signInByPasskey: (dependencies) => {
    const signIn = passkeySignIn(dependencies);
    return async (c) => {
      const { configuration } = dependencies.configuration();
      refuseCrossSite(c, configuration);
      const request = { ...signInRequest(c, configuration), binding: readPasskeyCookie(c) };
      const { profile, session } = await signIn(await readJsonObject(c), request);
      writeConsoleCookie(c, configuration, session);
      return answerJson<Profile>(c, profile);
    };
  },

  /**
   * POST `{returnTo?, link?, invitation?}`: 200 with the address at the connector. Only our own pages can begin, so that nobody
   * is sent through a sign-in by a link (D133).
   */
  beginConnectorSignIn: (dependencies, { connectors }) => {
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
      const { location, browser } = await beginConnectorSignIn(dependencies, connectors, start, c.get("request"));
      writeConnectorCookie(c, browser);
      return answerJson<ConnectorSignIn>(c, { location });
    };
  },

  /** GET: where connectors send people back to (RFC 6749 §3.1.2). 303 to a page of the Console, whatever came of it. */
  finishConnectorSignIn: (dependencies, { connectors }) => {
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
  },

  /** GET: the person signed in, the organizations to choose from, and the one this request is about. */
  showMe: (dependencies) => async (c, caller) => {
    refuseUnknownQuery(c, []);
    const { organizationId, role, sessionId } = caller;
    const profile = await readProfile(dependencies, caller.id);
    return answerJson<Me>(c, { ...profile, organizationId, role, sessionId });
  },
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
