import { endBrowserSession, startBrowserSession } from "../../lib/directory/browser-sessions.ts";
import { readProfile } from "../../lib/directory/profile.ts";
import { recordSignIn, refusedSignInRecorder } from "../../lib/directory/sign-in-audit.ts";
import { consumeSignInLink } from "../../lib/directory/sign-in-links.ts";
import { readFields, textField } from "../../lib/fields.ts";
import { ProblemError } from "../../lib/problem.ts";
import type { Endpoint } from "../env.ts";
import { refuseCrossSite } from "../middleware/csrf.ts";
import { answerJson, readJsonObject } from "../middleware/json-body.ts";
import { clearSessionCookie, readSessionCookie, writeSessionCookie } from "../middleware/session-cookie.ts";

/** POST `{token}`: uses a one-time sign-in link up. A session the browser had before ends; the new one is always new. */
export const signInByLink: Endpoint = (dependencies) => {
  const recordRefusal = refusedSignInRecorder(dependencies);
  return async (c) => {
    const { configuration } = dependencies.configuration();
    refuseCrossSite(c, configuration);
    const token = readLinkToken(await readJsonObject(c));
    const { requestId, remoteAddress } = c.get("request");
    const attempt = { method: "link" as const, requestId, source: remoteAddress };
    const userId = await consumeSignInLink(dependencies, token);
    if (userId === undefined) {
      await recordRefusal(attempt);
      throw new ProblemError("forbidden", "The sign-in link is unknown, was used already, or has expired.");
    }
    await recordSignIn(dependencies, attempt, userId);
    const profile = await readProfile(dependencies, userId);
    const former = readSessionCookie(c, configuration);
    if (former !== undefined) await endBrowserSession(dependencies, former);
    writeSessionCookie(c, configuration, await startBrowserSession(dependencies, userId));
    return answerJson(c, profile);
  };
};

/** POST without body: ends the session on the server. Without a session there is nothing to do: 204 as well. */
export const signOut: Endpoint = (dependencies) => async (c) => {
  const { configuration } = dependencies.configuration();
  refuseCrossSite(c, configuration);
  const cookie = readSessionCookie(c, configuration);
  if (cookie !== undefined) await endBrowserSession(dependencies, cookie);
  clearSessionCookie(c, configuration);
  c.header("Cache-Control", "no-store");
  return c.body(null, 204);
};

function readLinkToken(body: Readonly<Record<string, unknown>>): string {
  const fields = readFields(body, ["token"]);
  const token = textField(fields, "token", { min: 1, max: 200 });
  fields.finish();
  return token as string;
}
