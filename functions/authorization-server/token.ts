import type { Connector } from "../../lib/connectors/connectors.ts";
import type { Dependencies } from "../../lib/dependencies.ts";
import { measuredTokenRequest } from "../../lib/oauth/measured-token-request.ts";
import { NO_STORE, readClientRequest } from "../../lib/oauth/request.ts";
import { answerTokenRequest } from "../../lib/oauth/token-request.ts";
import type { Handler } from "../env.ts";

/** Token endpoint (RFC 6749 §3.2). */
export function token(dependencies: Dependencies, connectors: readonly Connector[]): Handler {
  return (c) =>
    measuredTokenRequest(dependencies, async (asksFor) => {
      const request = await readClientRequest(c.req.raw, c.get("request"));
      asksFor(request.form.get("grant_type"));
      return c.json(await answerTokenRequest(request, dependencies, connectors), 200, NO_STORE);
    });
}
