import { signOut as endSession } from "../../lib/directory/session-administration.ts";
import { signInByLink as linkSignIn } from "../../lib/directory/sign-in.ts";
import type { Profile } from "../../lib/management/schemas/profile.ts";
import type { Endpoint } from "../env.ts";
import { refuseCrossSite } from "../middleware/csrf.ts";
import { answerJson, readJsonObject } from "../middleware/json-body.ts";
import { readLinkToken } from "../middleware/link-token.ts";
import { clearConsoleCookie, readConsoleCookie, writeConsoleCookie } from "../middleware/session-cookie.ts";
import { signInRequest } from "../middleware/sign-in-request.ts";

/** POST `{token}`: uses a one-time sign-in link up. A session the browser had before ends; the new one is always new. */
export const signInByLink: Endpoint = (dependencies) => {
  const signIn = linkSignIn(dependencies);
  return async (c) => {
    const { configuration } = dependencies.configuration();
    refuseCrossSite(c, configuration);
    const token = readLinkToken(await readJsonObject(c));
    const { profile, session } = await signIn(token, signInRequest(c, configuration));
    writeConsoleCookie(c, configuration, session);
    return answerJson<Profile>(c, profile);
  };
};

/** POST without body: ends the session on the server. Without a session there is nothing to do: 204 as well. */
export const signOut: Endpoint = (dependencies) => async (c) => {
  const { configuration } = dependencies.configuration();
  refuseCrossSite(c, configuration);
  const cookie = readConsoleCookie(c, configuration);
  if (cookie !== undefined) await endSession(dependencies, cookie, c.get("request").requestId);
  clearConsoleCookie(c, configuration);
  c.header("Cache-Control", "no-store");
  return c.body(null, 204);
};
