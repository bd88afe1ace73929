import type { Dependencies } from "../../lib/application/dependencies.ts";
import { NO_STORE, readClientRequest } from "../../lib/authorization-server/client-request.ts";
import { answerTokenRequest, measuredTokenRequest } from "../../lib/authorization-server/token-request.ts";
import type { Connector } from "../../lib/connectors/connectors.ts";
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
