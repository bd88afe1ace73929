import type { ApiClient } from "../../../lib/management/schemas/api-clients.ts";
import { useList } from "../../api/use-list.ts";

export type ClientNames = ReadonlyMap<string, string>;

/** Names of the organization's API clients by their ids: of the first 200, which is enough to recognize most. */
export function useClientNames(): ClientNames {
  const clients = useList<ApiClient>("/api-clients", { query: { limit: 200 } });
  return new Map(clients.items?.map(({ clientId, name }) => [clientId, name]));
}
