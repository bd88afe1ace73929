import { readProfile } from "../../lib/directory/profile.ts";
import type { Me } from "../../lib/management/schemas/profile.ts";
import type { Endpoint } from "../env.ts";
import { authenticatePerson } from "../middleware/caller.ts";
import { answerJson } from "../middleware/json-body.ts";
import { refuseUnknownQuery } from "../middleware/known-query.ts";

/** GET: the person signed in, the organizations to choose from, and the one this request is about. */
export const me: Endpoint = (dependencies) => async (c) => {
  const caller = await authenticatePerson(dependencies, c, "member");
  refuseUnknownQuery(c, []);
  const { organizationId, role, sessionId } = caller;
  const profile = await readProfile(dependencies, caller.id);
  return answerJson<Me>(c, { ...profile, organizationId, role, sessionId });
};
