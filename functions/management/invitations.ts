import { acceptInvitation as accept, previewInvitation as preview } from "../../lib/directory/accept-invitation.ts";
import { resumeConsoleSession } from "../../lib/directory/browser-sessions.ts";
import {
  createInvitation as create,
  listInvitations as list,
  revokeInvitation as revoke,
} from "../../lib/directory/invitations.ts";
import {
  representCreatedInvitation,
  representInvitation,
  representPreview,
} from "../../lib/directory/representation.ts";
import type { CreatedInvitation, InvitationList, InvitationPreview } from "../../lib/management/schemas/invitations.ts";
import type { Profile } from "../../lib/management/schemas/profile.ts";
import type { Endpoint } from "../env.ts";
import { administrator, authenticatePerson } from "../middleware/caller.ts";
import { refuseCrossSite } from "../middleware/csrf.ts";
import { answerJson, readJsonBody, readJsonObject } from "../middleware/json-body.ts";
import { refuseUnknownQuery } from "../middleware/known-query.ts";
import { readLinkToken } from "../middleware/link-token.ts";
import { writeConsoleCookie } from "../middleware/session-cookie.ts";
import { signInRequest } from "../middleware/sign-in-request.ts";

/** GET: the organization's open invitations, newest first, without their links. */
export const listInvitations: Endpoint = (dependencies) => async (c) => {
  const { organizationId } = await authenticatePerson(dependencies, c, "owner");
  refuseUnknownQuery(c, []);
  const open = await list(dependencies, organizationId);
  return answerJson<InvitationList>(c, { items: open.map(representInvitation) });
};

/** POST `{email, role}`: 201 with the link, which no later answer has. */
export const createInvitation: Endpoint = (dependencies) => async (c) => {
  const caller = await authenticatePerson(dependencies, c, "owner");
  refuseUnknownQuery(c, []);
  const created = await create(dependencies, administrator(caller, c), await readJsonBody(c));
  return answerJson<CreatedInvitation>(c, representCreatedInvitation(created), 201);
};

export const revokeInvitation: Endpoint = (dependencies) => async (c) => {
  const caller = await authenticatePerson(dependencies, c, "owner");
  refuseUnknownQuery(c, []);
  await revoke(dependencies, administrator(caller, c), c.req.param("invitationId") ?? "");
  c.header("Cache-Control", "no-store");
  return c.body(null, 204);
};

/** POST `{token}` by whoever holds the link: what it is an invitation to. */
export const previewInvitation: Endpoint = (dependencies) => {
  const show = preview(dependencies);
  return async (c) => {
    const { configuration } = dependencies.configuration();
    refuseCrossSite(c, configuration);
    refuseUnknownQuery(c, []);
    const token = readLinkToken(await readJsonObject(c));
    return answerJson<InvitationPreview>(c, representPreview(await show(token, signInRequest(c, configuration))));
  };
};

/** POST `{token}`: joins the person who is signed in; without one, somebody new joins and is signed in. */
export const acceptInvitation: Endpoint = (dependencies) => {
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
};
