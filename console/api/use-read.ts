import { type UseQueryResult, useQuery } from "@tanstack/react-query";
import { useConnection } from "./context.ts";
import { keyOf } from "./keys.ts";
import type { ApiProblem } from "./problem.ts";
import type { Answer, ApiRequest } from "./request.ts";

export interface ReadOptions {
  readonly query?: ApiRequest["query"];
  readonly isPublic?: boolean;
  /** Nothing is asked for while this is false. */
  readonly enabled?: boolean;
  /** Milliseconds after which it is read again while somebody looks. */
  readonly refetchInterval?: number;
  /** What was read before stays until something else of the same path is there. */
  readonly keepsPrevious?: boolean;
}

/**
 * Reads one thing of the API, again whenever it may have changed.
 *
 * @example const client = useRead<ApiClient>(path`/api-clients/${clientId}`);
 */
export function useRead<Body>(path: string, options: ReadOptions = {}): UseQueryResult<Answer<Body>, ApiProblem> {
  const { api, organization } = useConnection();
  const { query, isPublic, enabled = true, refetchInterval = false, keepsPrevious = false } = options;
  const queryKey = keyOf(organization.current(), path, query);
  return useQuery<Answer<Body>, ApiProblem>({
    queryKey,
    queryFn: ({ signal }) => api.send<Body>({ path, query, signal, isPublic: isPublic ?? false }),
    enabled,
    refetchInterval,
    ...(keepsPrevious && {
      // Never another organization's.
      placeholderData: (previous, from) => (from?.queryKey[0] === queryKey[0] ? previous : undefined),
    }),
  });
}
