import { registerClient } from "../../lib/oauth/clients/register-client.ts";
import { createRegistrationLimit } from "../../lib/oauth/clients/registration-limit.ts";
import { readRegistration } from "../../lib/oauth/clients/registration-request.ts";
import { NO_STORE } from "../../lib/oauth/request.ts";
import type { Endpoint } from "../env.ts";

/** Dynamic client registration (RFC 7591 §3). */
export const registration: Endpoint = (dependencies) => {
  const limit = createRegistrationLimit(dependencies.clock);
  return async (c) => {
    const { remoteAddress, requestId } = c.get("request");
    limit.admit(remoteAddress);
    const described = await readRegistration(c.req.raw);
    return c.json(await registerClient(described, requestId, dependencies), 201, NO_STORE);
  };
};
