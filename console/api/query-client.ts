import { QueryClient } from "@tanstack/react-query";
import { asProblem } from "./problem.ts";

const RETRIES = 2;

/** Reads are tried again only where that may help, after the time that the server asks for; changes never are. */
export function createQueryClient(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      queries: {
        staleTime: 10_000,
        retry: (failures, error) => failures < RETRIES && asProblem(error).isTransient,
        retryDelay: (failures, error) => (asProblem(error).retryAfter ?? 2 ** failures) * 1000,
        networkMode: "always",
        refetchOnReconnect: true,
      },
      mutations: { retry: false, networkMode: "always" },
    },
  });
}
