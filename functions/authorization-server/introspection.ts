import { authenticateClient } from "../../lib/authorization-server/client-authentication.ts";
import { NO_STORE, readClientRequest } from "../../lib/authorization-server/client-request.ts";
import { requiredParameter } from "../../lib/authorization-server/form.ts";
import { introspectionResponse } from "../../lib/authorization-server/introspection-response.ts";
import type { Endpoint } from "../env.ts";

/** Token introspection (RFC 7662). */
export const introspection: Endpoint = (dependencies) => async (c) => {
  const request = await readClientRequest(c.req.raw, c.get("request"));
  // Before the caller is authenticated: an assertion counts once, and a request that cannot be answered uses none up.
  const token = requiredParameter(request.form, "token");
  const caller = await authenticateClient(request, dependencies);
  return c.json(await introspectionResponse(token, caller, dependencies), 200, NO_STORE);
};
