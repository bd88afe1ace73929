import type { ConnectedAgent } from "../../lib/management/schemas/consents.ts";
import { useList } from "../api/use-list.ts";
import { useSession } from "../session/context.ts";
import { type Names, useNames } from "./use-names.ts";

/**
 * Names of API clients and members; for owners, where some of these ids are of others, also of the first 200 connected agents and those who
 * connected them: what these call themselves, or what the identity provider told. That list is dear on Workers, where it lies in many places.
 */
export function useKnownNames(ids: readonly string[] | undefined): Names {
  const { isOwner } = useSession();
  const names = useNames();
  const isLacking = ids?.some((id) => !names.has(id)) ?? false;
  const query = { everyone: true, limit: 200 };
  const { items = [] } = useList<ConnectedAgent>("/connected-agents", { query, enabled: isOwner && isLacking });
  return new Map([
    ...items.flatMap(({ client, name, user, userName }) => [
      ...(name === undefined ? [] : [[client, name] as const]),
      ...(userName === undefined ? [] : [[user, userName] as const]),
    ]),
    ...names,
  ]);
}
