import { EMAIL, pageOf, ROLE, type Shape, TIME } from "./common.ts";

export const MEMBER = {
  title: "Member",
  type: "object",
  properties: {
    userId: { type: "string" },
    email: EMAIL,
    role: ROLE,
    joinedAt: TIME,
    isYou: { type: "boolean" },
  },
  required: ["userId", "email", "role", "joinedAt", "isYou"],
  additionalProperties: false,
} as const;

export const MEMBER_LIST = pageOf("MemberList", MEMBER);

export const MEMBER_CHANGE = {
  title: "MemberChange",
  type: "object",
  properties: { role: ROLE },
  required: ["role"],
  additionalProperties: false,
} as const;

export type Member = Shape<typeof MEMBER>;
export type MemberList = Shape<typeof MEMBER_LIST>;
export type MemberChange = Shape<typeof MEMBER_CHANGE>;
