import type { ConnectedAgent } from "../../lib/management/schemas/consents.ts";
import { useList } from "../api/use-list.ts";
import { useSession } from "../session/context.ts";
import { type Names, useNames } from "./use-names.ts";

/**
 * For owners, beside API clients and members also the first 200 connected agents and those who connected them: what these call
 * themselves, or what the identity provider told.
 */
export function useKnownNames(): Names {
  const { isOwner } = useSession();
  const names = useNames();
  const query = { everyone: true, limit: 200 };
  const { items = [] } = useList<ConnectedAgent>("/connected-agents", { query, enabled: isOwner });
  return new Map([
    ...items.flatMap(({ client, name, user, userName }) => [
      ...(name === undefined ? [] : [[client, name] as const]),
      ...(userName === undefined ? [] : [[user, userName] as const]),
    ]),
    ...names,
  ]);
}
