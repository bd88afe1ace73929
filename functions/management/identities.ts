import { representIdentity, unlinkIdentity as unlink } from "../../lib/directory/connector-sign-in/identities.ts";
import { requireRecentSignIn } from "../../lib/directory/recent-sign-in.ts";
import type { IdentityList } from "../../lib/management/schemas/identities.ts";
import type { Endpoint } from "../env.ts";
import { authenticatePerson } from "../middleware/caller.ts";
import { answerJson } from "../middleware/json-body.ts";
import { refuseUnknownQuery } from "../middleware/known-query.ts";
import { invalidQuery, textQuery } from "../middleware/query.ts";

/** GET: the person's own, oldest first. */
export const listIdentities: Endpoint = (dependencies) => async (c) => {
  const { id } = await authenticatePerson(dependencies, c, "member");
  refuseUnknownQuery(c, []);
  const identities = await dependencies.stores.identities.listIdentities(id);
  return answerJson<IdentityList>(c, { items: identities.map(representIdentity) });
};

/** DELETE with `subject`: 204; 409 for the last way to sign in. */
export const unlinkIdentity: Endpoint = (dependencies) => async (c) => {
  const caller = await authenticatePerson(dependencies, c, "member");
  const { requestId } = c.get("request");
  refuseUnknownQuery(c, ["subject"]);
  const subject = textQuery(c, "subject");
  if (subject === undefined) throw invalidQuery("subject", "is missing");
  await requireRecentSignIn(dependencies, caller);
  await unlink(dependencies, { connector: c.req.param("connector") ?? "", subject }, { userId: caller.id, requestId });
  c.header("Cache-Control", "no-store");
  return c.body(null, 204);
};
