import { createInstanceDescription } from "../../lib/management/describe-instance.ts";
import type { Instance } from "../../lib/management/schemas/instance.ts";
import type { Endpoint } from "../env.ts";
import { authenticatePerson } from "../middleware/caller.ts";
import { answerJson } from "../middleware/json-body.ts";
import { refuseUnknownQuery } from "../middleware/known-query.ts";

/** GET: version, region and addresses, and what API clients of the organization can be granted. */
export const showInstance: Endpoint = (dependencies) => {
  const describe = createInstanceDescription(dependencies);
  return async (c) => {
    const { organizationId } = await authenticatePerson(dependencies, c, "member");
    refuseUnknownQuery(c, []);
    return answerJson<Instance>(c, await describe(organizationId));
  };
};
