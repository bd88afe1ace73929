import type { ApiClient } from "../../../lib/management/schemas/api-clients.ts";
import type { Member } from "../../../lib/management/schemas/members.ts";
import { useList } from "../../api/use-list.ts";

/** What people call an API client or a member, by its id. */
export type Names = ReadonlyMap<string, string>;

/** Of the organization's first 200 API clients and members as they are called now; records hold ids alone. */
export function useNames(): Names {
  const query = { limit: 200 };
  const clients = useList<ApiClient>("/api-clients", { query });
  const members = useList<Member>("/members", { query });
  return new Map([
    ...(clients.items ?? []).map(({ clientId, name }): [string, string] => [clientId, name]),
    ...(members.items ?? []).map(({ userId, email }): [string, string] => [userId, email]),
  ]);
}
