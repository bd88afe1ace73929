import { useQuery } from "@tanstack/react-query";
import { useEffect, useRef } from "react";
import type { AuditEvent } from "../../../lib/management/schemas/audit-events.ts";
import type { ApiClient } from "../../api/client.ts";
import { useConnection } from "../../api/context.ts";
import { keyOf } from "../../api/keys.ts";
import { ApiProblem } from "../../api/problem.ts";
import type { ListPage, Query } from "../../api/request.ts";
import { useAnnounce } from "../../parts/announcer.tsx";

/** Milliseconds. */
const EVERY = 3_000;
/** How far back each look goes again: records of several instances come in late, and open ones are completed. Milliseconds. */
const AGAIN = 60_000;
/** Milliseconds: a listener hears no number more often. */
const SAID_EVERY = 20_000;
const PAGE = 200;
const PAGES = 5;
/** Followed at most: whoever looks at more has looked away. */
const MOST = 2_000;

export interface Followed {
  /** What was read with what came since, newest first. */
  readonly items: readonly AuditEvent[] | undefined;
  /** Why nothing more is looked for. */
  readonly error: ApiProblem | null;
  readonly again: () => void;
}

/**
 * Looks for newer records as long as somebody looks at the page. An error ends it.
 *
 * @param read the newest records, as they were read first
 */
export function useFollowed(query: Query, read: readonly AuditEvent[] | undefined, isOn: boolean): Followed {
  const { api, organization } = useConnection();
  const newer = useQuery<readonly AuditEvent[], ApiProblem>({
    queryKey: [...keyOf(organization.current(), "/audit-events", query), "newer"],
    queryFn: async ({ client, queryKey, signal }) => {
      const known = client.getQueryData<readonly AuditEvent[]>(queryKey) ?? [];
      if (known.length > MOST) throw tooMany();
      const newest = known[0] ?? read?.[0];
      return together(known, await since(newest?.time, query, api, signal));
    },
    enabled: isOn && read !== undefined,
    refetchInterval: ({ state }) => (state.status === "error" ? false : EVERY),
    staleTime: 0,
    gcTime: 0,
  });
  const { data, error, refetch } = newer;
  const items = isOn && read !== undefined && data !== undefined ? together(read, data) : read;
  useSaid(isOn ? data : undefined, read);
  return { items, error: isOn ? error : null, again: () => void refetch() };
}

function tooMany(): ApiProblem {
  const detail = "More came than can be followed here. Narrow the search, or load the page again.";
  return new ApiProblem({ status: 422, code: "too_many_records", title: "Too many records", detail });
}

/** Newest first. Each record once, as it was read last. */
function together(former: readonly AuditEvent[], later: readonly AuditEvent[]): readonly AuditEvent[] {
  const all = new Map([...former, ...later].map((event) => [event.id, event]));
  return [...all.values()].sort((one, other) => (one.id < other.id ? 1 : -1));
}

async function since(
  newest: string | undefined,
  query: Query,
  api: Pick<ApiClient, "send">,
  signal: AbortSignal,
): Promise<readonly AuditEvent[]> {
  const from = newest === undefined ? query.from : new Date(Date.parse(newest) - AGAIN).toISOString();
  const found: AuditEvent[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < PAGES; page++) {
    const asked = { ...query, from, limit: PAGE, cursor };
    const { body } = await api.send<ListPage<AuditEvent>>({ path: "/audit-events", query: asked, signal });
    found.push(...body.items);
    cursor = body.nextCursor;
    if (cursor === undefined || newest === undefined) return found;
  }
  throw tooMany();
}

/** Says how many came, seldom. */
function useSaid(data: readonly AuditEvent[] | undefined, read: readonly AuditEvent[] | undefined): void {
  const announce = useAnnounce();
  const said = useRef({ newest: "", at: 0 });
  useEffect(() => {
    const before = said.current.newest || (read?.[0]?.id ?? "");
    const count = data?.filter(({ id }) => id > before).length ?? 0;
    const now = Date.now();
    if (count === 0 || now - said.current.at < SAID_EVERY) return;
    said.current = { newest: data?.[0]?.id ?? before, at: now };
    announce(count === 1 ? "One new record" : `${count} new records`, { isSilent: true });
  }, [data, read, announce]);
}
