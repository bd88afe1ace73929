import type { ApiClient } from "../../lib/management/schemas/api-clients.ts";
import type { Member } from "../../lib/management/schemas/members.ts";
import { useList } from "../api/use-list.ts";

/** What people call an API client, a member or a key pair, by its id. */
export type Names = ReadonlyMap<string, string>;

/**
 * Of the organization's first 200 API clients, with their key pairs' fingerprints, and members as they are called now:
 * records of former releases hold ids alone.
 */
export function useNames(): Names {
  const query = { limit: 200 };
  const clients = useList<ApiClient>("/api-clients", { query }).items ?? [];
  const members = useList<Member>("/members", { query }).items ?? [];
  const keyPairs = clients.flatMap((client) => client.keyPairs);
  return new Map([
    ...clients.map(({ clientId, name }): [string, string] => [clientId, name]),
    ...members.map(({ userId, email }): [string, string] => [userId, email]),
    ...keyPairs.map(({ keyPairId, fingerprint }): [string, string] => [keyPairId, fingerprint]),
  ]);
}

/** With the names that a record has kept: they are right also of those who are gone or are called otherwise now. */
export function namesWith(names: Names, kept: Readonly<Record<string, string>> | undefined): Names {
  return kept === undefined ? names : new Map([...names, ...Object.entries(kept)]);
}

/** Those alone whose ids begin so: `client_`, `user_`. */
export function namesOf(names: Names, ...prefixes: readonly string[]): Names {
  return new Map([...names].filter(([id]) => prefixes.some((prefix) => id.startsWith(prefix))));
}

/** All but those whose ids begin so. */
export function namesBut(names: Names, ...prefixes: readonly string[]): Names {
  return new Map([...names].filter(([id]) => !prefixes.some((prefix) => id.startsWith(prefix))));
}

/** The id of what is called so, upper or lower case; any other text, and a name that several have, as it is. */
export function idOf(names: Names, text: string): string {
  if (names.has(text)) return text;
  const ids = [...names].filter(([, name]) => name.toLowerCase() === text.toLowerCase()).map(([id]) => id);
  return ids.length === 1 && ids[0] !== undefined ? ids[0] : text;
}
