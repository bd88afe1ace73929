import { EMAIL, LINK_TOKEN, listOf, ROLE, type Shape, TIME } from "./common.ts";

const INVITATION_MEMBERS = {
  invitationId: { type: "string", description: "`inv_<uuid>`." },
  email: EMAIL,
  role: ROLE,
  invitedBy: { type: "string", description: "`user_…` of an owner." },
  createdAt: TIME,
  expiresAt: TIME,
} as const;

const REQUIRED = ["invitationId", "email", "role", "invitedBy", "createdAt", "expiresAt"] as const;

/** An open invitation, without its link. */
export const INVITATION = {
  title: "Invitation",
  type: "object",
  properties: INVITATION_MEMBERS,
  required: REQUIRED,
  additionalProperties: false,
} as const;

export const INVITATION_LIST = listOf("InvitationList", INVITATION);

/** The answer that has the link; nothing else ever has. */
export const CREATED_INVITATION = {
  title: "CreatedInvitation",
  type: "object",
  properties: {
    ...INVITATION_MEMBERS,
    link: { type: "string", format: "uri", description: "For the one who is invited; in this answer and never again." },
    sent: {
      type: "boolean",
      description: "Whether a mail with the link was sent to the address; absent where the instance sends no mail.",
    },
  },
  required: [...REQUIRED, "link"],
  additionalProperties: false,
} as const;

export const NEW_INVITATION = {
  title: "NewInvitation",
  type: "object",
  properties: { email: EMAIL, role: ROLE },
  required: ["email", "role"],
  additionalProperties: false,
} as const;

/** Whoever holds an invitation's link. */
export const INVITATION_TOKEN = {
  title: "InvitationToken",
  type: "object",
  properties: { token: LINK_TOKEN },
  required: ["token"],
  additionalProperties: false,
} as const;

export const INVITATION_PREVIEW = {
  title: "InvitationPreview",
  type: "object",
  properties: {
    organization: { type: "string", description: "The organization's name." },
    email: EMAIL,
    role: ROLE,
    expiresAt: TIME,
  },
  required: ["organization", "email", "role", "expiresAt"],
  additionalProperties: false,
} as const;

export type Invitation = Shape<typeof INVITATION>;
export type InvitationList = Shape<typeof INVITATION_LIST>;
export type CreatedInvitation = Shape<typeof CREATED_INVITATION>;
export type NewInvitation = Shape<typeof NEW_INVITATION>;
export type InvitationToken = Shape<typeof INVITATION_TOKEN>;
export type InvitationPreview = Shape<typeof INVITATION_PREVIEW>;
