import type { Context } from "hono";
import type { Configuration } from "../../lib/config/configuration.ts";
import type { SignInRequest } from "../../lib/directory/sign-in-audit.ts";
import type { Env } from "../env.ts";
import { readConsoleCookie } from "./session-cookie.ts";

/** What a sign-in to the Console takes from its request. */
export function signInRequest(c: Context<Env>, configuration: Configuration): SignInRequest {
  const { requestId, remoteAddress } = c.get("request");
  const formerSession = readConsoleCookie(c, configuration);
  return { requestId, remoteAddress, formerSession, userAgent: c.req.header("User-Agent") };
}
