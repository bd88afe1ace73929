import { changeRole as change, listMembers as list, removeMember as remove } from "../../lib/directory/members.ts";
import { mayMakeOwners, namesOwner } from "../../lib/directory/sign-in-methods.ts";
import { ProblemError } from "../../lib/kernel/problem.ts";
import type { MEMBER_OPERATIONS } from "../../lib/management/operations/members.ts";
import { representMember } from "../../lib/management/representations/directory.ts";
import type { Member, MemberList } from "../../lib/management/schemas/members.ts";
import { administrator } from "../middleware/caller.ts";
import { answerJson, answerNothing, readJsonBody } from "../middleware/json-body.ts";
import { pageQuery, shownPage } from "../middleware/list-page.ts";
import type { Endpoints } from "../middleware/management-endpoint.ts";
import { refuseUnknownQuery } from "../middleware/query.ts";
import { clearConsoleCookie } from "../middleware/session-cookie.ts";

export const MEMBER_ENDPOINTS: Endpoints<typeof MEMBER_OPERATIONS> = {
  /** GET: who belongs to the organization, the one who joined first in front, in pages. */
  listMembers:
    (dependencies) =>
    async (c, { id, organizationId }) => {
      refuseUnknownQuery(c, ["limit", "cursor"]);
      const page = await list(dependencies, organizationId, pageQuery(c));
      return answerJson<MemberList>(
        c,
        shownPage(c, page, (member) => representMember(member, id)),
      );
    },

  /** PATCH `{role}`. */
  changeMember: (dependencies) => async (c, caller) => {
    refuseUnknownQuery(c, []);
    const userId = c.req.param("userId") ?? "";
    const input = await readJsonBody(c);
    if (namesOwner(input)) await mayMakeOwners(dependencies, caller);
    const member = await change(dependencies, administrator(caller, c), userId, input);
    return answerJson<Member>(c, representMember(member, caller.id));
  },

  /** DELETE: by an owner, or by the member who leaves. */
  removeMember: (dependencies) => async (c, caller) => {
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
    return answerNothing(c);
  },
};
