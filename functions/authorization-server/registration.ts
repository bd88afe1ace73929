import { NO_STORE } from "../../lib/authorization-server/client-request.ts";
import {
  createRegistrationLimit,
  readRegistration,
  registerClient,
} from "../../lib/authorization-server/clients/register-client.ts";
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
