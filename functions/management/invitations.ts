import { acceptInvitation as accept, previewInvitation as preview } from "../../lib/directory/accept-invitation.ts";
import { resumeConsoleSession } from "../../lib/directory/browser-sessions.ts";
import {
  createInvitation as create,
  listInvitations as list,
  revokeInvitation as revoke,
} from "../../lib/directory/invitations.ts";
import { mayMakeOwners, namesOwner } from "../../lib/directory/sign-in-methods.ts";
import { mailInvitation } from "../../lib/email/invitation-mail.ts";
import type { INVITATION_OPERATIONS } from "../../lib/management/operations/invitations.ts";
import {
  representCreatedInvitation,
  representInvitation,
  representPreview,
} from "../../lib/management/representations/directory.ts";
import type { CreatedInvitation, InvitationList, InvitationPreview } from "../../lib/management/schemas/invitations.ts";
import type { Profile } from "../../lib/management/schemas/profile.ts";
import { administrator } from "../middleware/caller.ts";
import { refuseCrossSite } from "../middleware/csrf.ts";
import { answerJson, answerNothing, readJsonBody, readJsonObject } from "../middleware/json-body.ts";
import type { Endpoints } from "../middleware/management-endpoint.ts";
import { refuseUnknownQuery } from "../middleware/query.ts";
import { writeConsoleCookie } from "../middleware/session-cookie.ts";
import { readLinkToken, signInRequest } from "../middleware/sign-in-request.ts";

export const INVITATION_ENDPOINTS: Endpoints<typeof INVITATION_OPERATIONS> = {
  /** GET: the organization's open invitations, newest first, without their links. */
  listInvitations:
    (dependencies) =>
    async (c, { organizationId }) => {
      refuseUnknownQuery(c, []);
      const open = await list(dependencies, organizationId);
      return answerJson<InvitationList>(c, { items: open.map(representInvitation) });
    },

  /** POST `{email, role}`: 201 with the link, which no later answer has, and whether a mail has it, too. */
  createInvitation: (dependencies) => async (c, caller) => {
    refuseUnknownQuery(c, []);
    const input = await readJsonBody(c);
    if (namesOwner(input)) await mayMakeOwners(dependencies, caller);
    const created = await create(dependencies, administrator(caller, c), input);
    const sent = await mailInvitation(created, dependencies);
    return answerJson<CreatedInvitation>(c, representCreatedInvitation(created, sent), 201);
  },

  revokeInvitation: (dependencies) => async (c, caller) => {
    refuseUnknownQuery(c, []);
    await revoke(dependencies, administrator(caller, c), c.req.param("invitationId") ?? "");
    return answerNothing(c);
  },

  /** POST `{token}` by whoever holds the link: what it is an invitation to. */
  previewInvitation: (dependencies) => {
    const show = preview(dependencies);
    return async (c) => {
      const { configuration } = dependencies.configuration();
      refuseCrossSite(c, configuration);
      refuseUnknownQuery(c, []);
      const token = readLinkToken(await readJsonObject(c));
      return answerJson<InvitationPreview>(c, representPreview(await show(token, signInRequest(c, configuration))));
    };
  },

  /** POST `{token}`: joins the person who is signed in; without one, somebody new joins and is signed in. */
  acceptInvitation: (dependencies) => {
    const join = accept(dependencies);
    return async (c) => {
      const { configuration } = dependencies.configuration();
      refuseCrossSite(c, configuration);
      refuseUnknownQuery(c, []);
      const token = readLinkToken(await readJsonObject(c));
      const request = signInRequest(c, configuration);
      const { formerSession } = request;
      const current = formerSession && (await resumeConsoleSession(dependencies, formerSession));
      const { profile, session } = await join(token, current ? current.userId : undefined, request);
      c.get("request").authenticated(profile.userId);
      if (session !== undefined) writeConsoleCookie(c, configuration, session);
      return answerJson<Profile>(c, profile);
    };
  },
};
