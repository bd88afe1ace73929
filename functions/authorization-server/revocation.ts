import { authenticateClient } from "../../lib/authorization-server/client-authentication.ts";
import { NO_STORE, readClientRequest } from "../../lib/authorization-server/client-request.ts";
import { requiredParameter } from "../../lib/authorization-server/form.ts";
import { revokeToken } from "../../lib/authorization-server/revocation.ts";
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
