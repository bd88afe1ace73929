import type { Dependencies } from "../../lib/dependencies.ts";
import type { Gateway } from "../../lib/gateway/gateway.ts";
import { organizationUpstreams } from "../../lib/gateway/organization-upstreams.ts";
import type { UpstreamList } from "../../lib/management/schemas/upstreams.ts";
import type { Handler } from "../env.ts";
import { authenticateCaller } from "../middleware/caller.ts";
import { answerJson } from "../middleware/json-body.ts";
import { refuseUnknownQuery } from "../middleware/known-query.ts";

/** GET: what is behind the organization's apps, as this instance found it lately. `Need`: member, or `tools:read`. */
export function listUpstreams(dependencies: Dependencies, gateway: Gateway | undefined): Handler {
  return async (c) => {
    const { organizationId } = await authenticateCaller(dependencies, c, { role: "member", scope: "tools:read" });
    refuseUnknownQuery(c, []);
    return answerJson<UpstreamList>(c, {
      items: gateway === undefined ? [] : await organizationUpstreams(gateway, organizationId),
    });
  };
}
