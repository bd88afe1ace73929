import { signInBySetup } from "../../lib/directory/sign-in.ts";
import type { Profile } from "../../lib/management/schemas/profile.ts";
import type { Endpoint } from "../env.ts";
import { refuseCrossSite } from "../middleware/csrf.ts";
import { answerJson, readJsonObject } from "../middleware/json-body.ts";
import { writeConsoleCookie } from "../middleware/session-cookie.ts";
import { signInRequest } from "../middleware/sign-in-request.ts";

/**
 * POST `{token, organization, email}`: 201 with the first organization and its owner, signed in. Works once. 200 for an
 * owner who is recovered (`console.recoverOwner`).
 */
export const setup: Endpoint = (dependencies) => {
  const signIn = signInBySetup(dependencies);
  return async (c) => {
    const { configuration } = dependencies.configuration();
    refuseCrossSite(c, configuration);
    const { profile, session, recovered } = await signIn(await readJsonObject(c), signInRequest(c, configuration));
    writeConsoleCookie(c, configuration, session);
    return answerJson<Profile>(c, profile, recovered ? 200 : 201);
  };
};
