import { measuredTokenRequest } from "../../lib/oauth/measured-token-request.ts";
import { NO_STORE, readClientRequest } from "../../lib/oauth/request.ts";
import { answerTokenRequest } from "../../lib/oauth/token-request.ts";
import type { Endpoint } from "../env.ts";

/** Token endpoint (RFC 6749 §3.2). */
export const token: Endpoint = (dependencies) => (c) =>
  measuredTokenRequest(dependencies, async (asksFor) => {
    const request = await readClientRequest(c.req.raw, c.get("request"));
    asksFor(request.form.get("grant_type"));
    return c.json(await answerTokenRequest(request, dependencies), 200, NO_STORE);
  });
