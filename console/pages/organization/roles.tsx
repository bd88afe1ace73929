import type { Member } from "../../../lib/management/schemas/members.ts";
import type { List } from "../../api/use-list.ts";
import { StatusBadge } from "../../parts/status-badge.tsx";

export type Role = Member["role"];

export const ROLE_NAMES: Readonly<Record<Role, string>> = { owner: "Owner", member: "Member" };

/** What somebody with the role may do. */
export const ROLE_RIGHTS: Readonly<Record<Role, string>> = {
  owner: "Can change everything here: API clients and their key pairs, members, invitations, the name.",
  member: "Can see everything and change nothing.",
};

export function RoleBadge({ role }: { readonly role: Role }) {
  return <StatusBadge tone={role === "owner" ? "accent" : "neutral"}>{ROLE_NAMES[role]}</StatusBadge>;
}

/** Whether the person is the only owner, as far as the list tells: what was not read may have others. */
export function isOnlyOwner({ items, hasMore }: Pick<List<Member>, "items" | "hasMore">, userId: string): boolean {
  if (items === undefined || hasMore) return false;
  return items.every((member) => (member.role === "owner") === (member.userId === userId));
}
