import { type UseQueryResult, useQuery } from "@tanstack/react-query";
import type { Me } from "../../lib/management/schemas/profile.ts";
import { useConnection } from "../api/context.ts";
import { keyOf } from "../api/keys.ts";
import type { ApiProblem } from "../api/problem.ts";
import type { Answer } from "../api/request.ts";

/** What the answer is kept under. */
export const ME_KEY = keyOf(undefined, "/me");

/** Who is signed in, if anybody: 401 is an answer here, and opens no dialog. */
export function useMe(): UseQueryResult<Answer<Me>, ApiProblem> {
  const { api } = useConnection();
  return useQuery<Answer<Me>, ApiProblem>({
    queryKey: ME_KEY,
    queryFn: ({ signal }) => api.send<Me>({ path: "/me", signal, isPublic: true }),
    staleTime: 60_000,
  });
}
