import { authenticateClient } from "../../lib/oauth/client-authentication.ts";
import { requiredParameter } from "../../lib/oauth/form.ts";
import { NO_STORE, readClientRequest } from "../../lib/oauth/request.ts";
import { revokeToken } from "../../lib/oauth/revocation.ts";
import type { Endpoint } from "../env.ts";

/** Token revocation (RFC 7009): 200 for every token, known or not. */
export const revocation: Endpoint = (dependencies) => async (c) => {
  const request = await readClientRequest(c.req.raw, c.get("request"));
  // Before the caller is authenticated: an assertion counts once, and a request that cannot be answered uses none up.
  const token = requiredParameter(request.form, "token");
  const caller = await authenticateClient(request, dependencies, { acceptsPublic: true });
  await revokeToken(token, caller, request.requestId, dependencies);
  return c.body(null, 200, NO_STORE);
};
