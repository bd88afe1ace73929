import type { Dependencies } from "../../lib/dependencies.ts";
import type { HealthCheck } from "../../lib/health/health.ts";
import type { Overview } from "../../lib/management/schemas/overview.ts";
import { readOverview } from "../../lib/overview/overview.ts";
import type { Handler } from "../env.ts";
import { authenticatePerson } from "../middleware/caller.ts";
import { answerJson } from "../middleware/json-body.ts";
import { refuseUnknownQuery } from "../middleware/known-query.ts";

/** GET: health, agents' sessions, the last hour, the latest refusals, and what a new installation lacks. */
export function showOverview(dependencies: Dependencies, check: HealthCheck): Handler {
  return async (c) => {
    const { id, organizationId } = await authenticatePerson(dependencies, c, "member");
    refuseUnknownQuery(c, []);
    const health = await check(c.get("request").waitUntil);
    return answerJson<Overview>(c, await readOverview(dependencies, { organizationId, userId: id }, health));
  };
}
