import { useQuery } from "@tanstack/react-query";
import { useEffect } from "react";
import type { ConfigurationDocument } from "../../../lib/management/schemas/deployment.ts";
import { useConnection } from "../../api/context.ts";
import { keyOf } from "../../api/keys.ts";
import type { ApiProblem } from "../../api/problem.ts";
import type { Checker, CheckState } from "../../configuration-check/checker.ts";
import { inUseWithTools } from "../configuration-trial/use-trial.ts";

/**
 * Reads what is in use with all that was compiled for it, once a text names what is not here, and gives it to the checks.
 *
 * @returns why it could not be read
 */
export function useInUse(checker: Checker, checks: CheckState, isThere: boolean): ApiProblem | null {
  const { api, organization } = useConnection();
  const { data, error } = useQuery<ConfigurationDocument | null, ApiProblem>({
    queryKey: keyOf(organization.current(), "/configuration-editor/in-use"),
    queryFn: async () => (await inUseWithTools(api)) ?? null,
    enabled: isThere && checks.result?.isLacking === true,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
  });
  useEffect(() => {
    if (data) checker.give({ inUse: data });
  }, [checker, data]);
  return error;
}
