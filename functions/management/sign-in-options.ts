import { signInOptions } from "../../lib/directory/sign-in-options.ts";
import type { SignInWays } from "../../lib/management/schemas/sign-in.ts";
import type { Endpoint } from "../env.ts";
import { answerJson } from "../middleware/json-body.ts";
import { refuseUnknownQuery } from "../middleware/known-query.ts";

/** GET: how people can sign in here; for anybody. */
export const showSignInWays: Endpoint = (dependencies) => {
  const options = signInOptions(dependencies);
  return async (c) => {
    refuseUnknownQuery(c, []);
    return answerJson<SignInWays>(c, await options());
  };
};
