import { NO_STORE } from "../../lib/authorization-server/client-request.ts";
import { userinfo as answer } from "../../lib/authorization-server/openid/userinfo.ts";
import type { Endpoint } from "../env.ts";

/** Userinfo endpoint (OpenID Connect Core 1.0 §5.3), for GET and POST; the token is in the header. */
export const userinfo: Endpoint = (dependencies) => async (c) =>
  c.json(await answer(c.req.header("Authorization"), dependencies), 200, NO_STORE);
