import { type UseQueryResult, useQuery } from "@tanstack/react-query";
import type { ConfigurationDocument, Draft } from "../../../lib/management/schemas/deployment.ts";
import type { ApiClient } from "../../api/client.ts";
import { useConnection } from "../../api/context.ts";
import { keyOf } from "../../api/keys.ts";
import { ApiProblem } from "../../api/problem.ts";
import type { Checker } from "../../configuration-check/checker.ts";

/** What the editor begins with. */
export interface Start {
  readonly text: string;
  /** Absent: there is none, and the text is what is in use. */
  readonly draft: Draft | undefined;
  readonly inUse: ConfigurationDocument | undefined;
}

/** The draft, else what is in use. It is read once: what somebody writes is not replaced under their hands. */
export function useStart(checker: Checker, isEnabled: boolean): UseQueryResult<Start, ApiProblem> {
  const { api, organization } = useConnection();
  return useQuery<Start, ApiProblem>({
    queryKey: keyOf(organization.current(), "/configuration-editor"),
    queryFn: async () => {
      const [draft, inUse] = await Promise.all([
        ifThere<Draft>(api, "/deployment/draft"),
        ifThere<ConfigurationDocument>(api, "/deployment/document"),
      ]);
      const text =
        draft?.text ?? (inUse === undefined ? "" : await checker.ask({ kind: "render", document: inUse.document }));
      return { text, draft, inUse };
    },
    enabled: isEnabled,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
    meta: { isReadOnce: true },
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
  });
}

/** Undefined: there is none (404). */
export async function ifThere<Body>(api: ApiClient, path: string): Promise<Body | undefined> {
  try {
    return (await api.send<Body>({ path })).body;
  } catch (error) {
    if (error instanceof ApiProblem && error.status === 404) return undefined;
    throw error;
  }
}
