import { beginPasskeySignIn as begin, signInByPasskey as passkeySignIn } from "../../lib/directory/passkeys/sign-in.ts";
import { createSignInBeginLimit } from "../../lib/directory/sign-in-begin-limit.ts";
import type { Profile } from "../../lib/management/schemas/profile.ts";
import type { Endpoint } from "../env.ts";
import { readPasskeyCookie, writePasskeyCookie } from "../middleware/ceremony-cookies.ts";
import { refuseCrossSite } from "../middleware/csrf.ts";
import { answerJson, readEmptyBody, readJsonObject } from "../middleware/json-body.ts";
import { writeConsoleCookie } from "../middleware/session-cookie.ts";
import { signInRequest } from "../middleware/sign-in-request.ts";

/** POST: what a browser needs to ask its person for a passkey; good for five minutes, in this browser, once. */
export const beginPasskeySignIn: Endpoint = (dependencies) => {
  const limit = createSignInBeginLimit(dependencies.clock);
  return async (c) => {
    refuseCrossSite(c, dependencies.configuration().configuration);
    await readEmptyBody(c);
    limit.admit(c.get("request").remoteAddress);
    const { options, binding } = await begin(dependencies, readPasskeyCookie(c));
    writePasskeyCookie(c, binding);
    return answerJson<object>(c, options);
  };
};

/** POST with the browser's answer: signs the person in. A session the browser had before ends; the new one is always new. */
export const signInByPasskey: Endpoint = (dependencies) => {
  const signIn = passkeySignIn(dependencies);
  return async (c) => {
    const { configuration } = dependencies.configuration();
    refuseCrossSite(c, configuration);
    const request = { ...signInRequest(c, configuration), binding: readPasskeyCookie(c) };
    const { profile, session } = await signIn(await readJsonObject(c), request);
    writeConsoleCookie(c, configuration, session);
    return answerJson<Profile>(c, profile);
  };
};
