import { changeRole as change, listMembers as list, removeMember as remove } from "../../lib/directory/members.ts";
import { representMember } from "../../lib/directory/representation.ts";
import type { Member, MemberList } from "../../lib/management/schemas/members.ts";
import { ProblemError } from "../../lib/problem.ts";
import type { Endpoint } from "../env.ts";
import { administrator, authenticatePerson } from "../middleware/caller.ts";
import { answerJson, readJsonBody } from "../middleware/json-body.ts";
import { refuseUnknownQuery } from "../middleware/known-query.ts";
import { pageQuery, shownPage } from "../middleware/list-page.ts";
import { clearConsoleCookie } from "../middleware/session-cookie.ts";

/** GET: who belongs to the organization, the one who joined first in front, in pages. */
export const listMembers: Endpoint = (dependencies) => async (c) => {
  const { id, organizationId } = await authenticatePerson(dependencies, c, "member");
  refuseUnknownQuery(c, ["limit", "cursor"]);
  const page = await list(dependencies, organizationId, pageQuery(c));
  return answerJson<MemberList>(
    c,
    shownPage(c, page, (member) => representMember(member, id)),
  );
};

/** PATCH `{role}`. */
export const changeMember: Endpoint = (dependencies) => async (c) => {
  const caller = await authenticatePerson(dependencies, c, "owner");
  refuseUnknownQuery(c, []);
  const userId = c.req.param("userId") ?? "";
  const member = await change(dependencies, administrator(caller, c), userId, await readJsonBody(c));
  return answerJson<Member>(c, representMember(member, caller.id));
};

/** DELETE: by an owner, or by the member who leaves. */
export const removeMember: Endpoint = (dependencies) => async (c) => {
  const caller = await authenticatePerson(dependencies, c, "member");
  refuseUnknownQuery(c, []);
  const userId = c.req.param("userId") ?? "";
  const isLeaving = userId === caller.id;
  if (caller.role !== "owner" && !isLeaving) {
    throw new ProblemError("forbidden", "Only an owner of the organization may remove others.");
  }
  await remove(dependencies, administrator(caller, c), userId);
  // Whoever leaves the last one is forgotten, and the session with it.
  const { configuration } = dependencies.configuration();
  if (isLeaving && caller.memberships.length === 1) clearConsoleCookie(c, configuration);
  c.header("Cache-Control", "no-store");
  return c.body(null, 204);
};
