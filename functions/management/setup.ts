import { startBrowserSession } from "../../lib/directory/browser-sessions.ts";
import { readProfile } from "../../lib/directory/profile.ts";
import { setUp } from "../../lib/directory/setup.ts";
import { recordSignIn, refusedSignInRecorder } from "../../lib/directory/sign-in-audit.ts";
import { ProblemError } from "../../lib/problem.ts";
import type { Endpoint } from "../env.ts";
import { refuseCrossSite } from "../middleware/csrf.ts";
import { answerJson, readJsonObject } from "../middleware/json-body.ts";
import { writeSessionCookie } from "../middleware/session-cookie.ts";

/** POST `{token, organization, email}`: the first organization and its owner, signed in. Works once. */
export const setup: Endpoint = (dependencies) => {
  const recordRefusal = refusedSignInRecorder(dependencies);
  return async (c) => {
    const { configuration } = dependencies.configuration();
    refuseCrossSite(c, configuration);
    const body = await readJsonObject(c);
    const { requestId, remoteAddress } = c.get("request");
    const attempt = { method: "setup" as const, requestId, source: remoteAddress };
    const userId = await setUp(dependencies, body, requestId).catch(async (error: unknown) => {
      if (error instanceof ProblemError && error.code === "forbidden") await recordRefusal(attempt);
      throw error;
    });
    await recordSignIn(dependencies, attempt, userId);
    const profile = await readProfile(dependencies, userId);
    writeSessionCookie(c, configuration, await startBrowserSession(dependencies, userId));
    return answerJson(c, profile, 201);
  };
};
