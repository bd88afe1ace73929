import type { Context } from "hono";
import type { Configuration } from "../../lib/config/configuration.ts";
import type { SignInRequest } from "../../lib/directory/sign-in-audit.ts";
import { readFields, textField } from "../../lib/kernel/fields.ts";
import type { JsonObject } from "../../lib/kernel/json.ts";
import type { Env } from "../env.ts";
import { readConsoleCookie } from "./session-cookie.ts";

/** The data of a request that a sign-in to the Console needs. */
export function signInRequest(c: Context<Env>, configuration: Configuration): SignInRequest {
  const { requestId, remoteAddress } = c.get("request");
  const formerSession = readConsoleCookie(c, configuration);
  return { requestId, remoteAddress, formerSession, userAgent: c.req.header("User-Agent") };
}

/**
 * The secret of a one-time link, from `{token}`.
 * @throws ProblemError `invalid_field`
 */
export function readLinkToken(body: JsonObject): string {
  const fields = readFields(body, ["token"]);
  const token = textField(fields, "token", { min: 1, max: 200 });
  fields.finish();
  return token as string;
}
