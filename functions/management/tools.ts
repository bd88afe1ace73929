import { createOrganizationTools } from "../../lib/gateway/organization-tools.ts";
import type { ToolList } from "../../lib/management/schemas/tools.ts";
import type { Endpoint } from "../env.ts";
import { authenticateCaller } from "../middleware/caller.ts";
import { answerJson } from "../middleware/json-body.ts";
import { refuseUnknownQuery } from "../middleware/known-query.ts";

/** GET: the tools of the organization's apps, and the operations that are none. `Need`: member, or `tools:read`. */
export const listTools: Endpoint = (dependencies) => {
  const toolsOf = createOrganizationTools(dependencies);
  return async (c) => {
    const { organizationId } = await authenticateCaller(dependencies, c, { role: "member", scope: "tools:read" });
    refuseUnknownQuery(c, []);
    return answerJson<ToolList>(c, await toolsOf(organizationId));
  };
};
