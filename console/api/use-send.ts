import { type UseMutationResult, useMutation, useQueryClient } from "@tanstack/react-query";
import { useRef } from "react";
import { useApi } from "./context.ts";
import { isBelow } from "./keys.ts";
import type { ApiProblem } from "./problem.ts";
import type { Answer, ApiRequest } from "./request.ts";

export interface SendOptions<Body, Variables> {
  /** Paths whose answers this changes, with all below them: they are read again, unless a query's `meta.isReadOnce` says no. */
  readonly refreshes?: readonly string[];
  /** After it has happened and what it changes is being read again. */
  readonly onDone?: (answer: Answer<Body>, variables: Variables) => void;
}

/**
 * A change through the API. `mutate` starts it, unless it is under way; `isPending` and `error` say how it goes.
 *
 * @example const rename = useSend<Organization, { name: string }>(
 *   (body) => ({ method: "PATCH", path: path`/organizations/${id}`, body, ifMatch: etag }),
 *   { refreshes: ["/organizations"] },
 * );
 */
export function useSend<Body = undefined, Variables = void>(
  requestOf: (variables: Variables) => ApiRequest,
  { refreshes = [], onDone }: SendOptions<Body, Variables> = {},
): UseMutationResult<Answer<Body>, ApiProblem, Variables> {
  const api = useApi();
  const queries = useQueryClient();
  /** A second click comes before the first one has drawn anything. */
  const isUnderWay = useRef(false);
  const mutation = useMutation<Answer<Body>, ApiProblem, Variables>({
    mutationFn: (variables) => api.send<Body>(requestOf(variables)),
    onSuccess: (answer, variables) => {
      void queries.invalidateQueries({
        predicate: ({ queryKey, meta }) =>
          meta?.isReadOnce !== true && refreshes.some((path) => isBelow(queryKey, path)),
      });
      onDone?.(answer, variables);
    },
    onSettled: () => {
      isUnderWay.current = false;
    },
  });
  const mutate: typeof mutation.mutate = (...given) => {
    if (isUnderWay.current) return;
    isUnderWay.current = true;
    mutation.mutate(...given);
  };
  return { ...mutation, mutate };
}
