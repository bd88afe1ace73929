import type { INVITATION_OPERATIONS } from "../operations/invitations.ts";
import {
  CREATED_INVITATION,
  INVITATION_LIST,
  INVITATION_PREVIEW,
  INVITATION_TOKEN,
  NEW_INVITATION,
} from "../schemas/invitations.ts";
import { PROFILE } from "../schemas/profile.ts";
import type { Documentation } from "./documentation.ts";
import { pathParameter } from "./documentation.ts";

export const INVITATION_DOCUMENTATION = {
  listInvitations: {
    summary: "Open invitations",
    answers: [{ status: 200, description: "Newest first, 200 at most.", schema: INVITATION_LIST }],
  },
  createInvitation: {
    summary: "Invite somebody",
    description:
      "The link works once, for 7 days, and is shown in this answer alone. Where `email` is configured, it is also sent to the address. A mail that " +
      "cannot be sent changes nothing: the answer has `sent: false`.",
    body: { schema: NEW_INVITATION },
    answers: [{ status: 201, description: "The invitation with its link.", schema: CREATED_INVITATION }],
    problems: ["conflict", "recent_sign_in_required"],
  },
  revokeInvitation: {
    summary: "Revoke an invitation",
    parameters: [pathParameter("invitationId")],
    answers: [{ status: 204, description: "Its link opens nothing any more." }],
  },
  previewInvitation: {
    summary: "What an invitation is to",
    description: "For whoever holds the link. `not_found`: it is unknown, used, revoked or expired.",
    body: { schema: INVITATION_TOKEN },
    answers: [{ status: 200, description: "Organization, address and role.", schema: INVITATION_PREVIEW }],
    problems: ["not_found"],
  },
  acceptInvitation: {
    summary: "Accept an invitation",
    description:
      "Who is signed in joins the organization; anybody else becomes a new person with the invitation's address, and is " +
      "signed in. `conflict`: a person has the address, or the person is a member already.",
    body: { schema: INVITATION_TOKEN },
    answers: [{ status: 200, description: "The person.", schema: PROFILE, headers: ["Set-Cookie"] }],
    problems: ["not_found", "conflict"],
  },
} as const satisfies Documentation<typeof INVITATION_OPERATIONS>;
