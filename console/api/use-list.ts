import { useInfiniteQuery } from "@tanstack/react-query";
import { useConnection } from "./context.ts";
import { keyOf } from "./keys.ts";
import type { ApiProblem } from "./problem.ts";
import type { Answer, ListPage } from "./request.ts";
import type { ReadOptions } from "./use-read.ts";

/** A list of the API, as far as it was read; `LoadMore` reads on. */
export interface List<Item> {
  /** Undefined until the first page is there. */
  readonly items: readonly Item[] | undefined;
  readonly error: ApiProblem | null;
  readonly isPending: boolean;
  readonly isFetching: boolean;
  readonly hasMore: boolean;
  readonly isReadingMore: boolean;
  readonly readMore: () => void;
  readonly refetch: () => void;
  readonly firstPage: ListPage<Item> | undefined;
  /** What was read last. */
  readonly lastPage: ListPage<Item> | undefined;
}

/**
 * Reads a list page by page.
 *
 * @example const clients = useList<ApiClient>("/api-clients", { query: { limit: 50 } });
 */
export function useList<Item>(path: string, options: ReadOptions = {}): List<Item> {
  const { api, organization } = useConnection();
  const { query, enabled = true, refetchInterval = false } = options;
  const pages = useInfiniteQuery({
    queryKey: [...keyOf(organization.current(), path, query), "pages"],
    queryFn: ({ signal, pageParam }) =>
      api.send<ListPage<Item>>({ path, query: { ...query, cursor: pageParam }, signal }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (last: Answer<ListPage<Item>>) => last.body.nextCursor,
    enabled,
    refetchInterval,
  });
  return {
    items: pages.data?.pages.flatMap((page) => page.body.items),
    error: pages.error as ApiProblem | null,
    isPending: pages.isPending,
    isFetching: pages.isFetching,
    hasMore: pages.hasNextPage,
    isReadingMore: pages.isFetchingNextPage,
    readMore: () => void pages.fetchNextPage(),
    refetch: () => void pages.refetch(),
    firstPage: pages.data?.pages[0]?.body,
    lastPage: pages.data?.pages.at(-1)?.body,
  };
}
