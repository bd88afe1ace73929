import type { Dependencies } from "../dependencies.ts";
import { OAuthError } from "./errors.ts";
import { enabledGrants } from "./grants/registry.ts";

/**
 * Counts a request to the token endpoint by grant and outcome: `issued`, the error code, or `error` for anything else
 * that kept the client from its answer.
 *
 * @param answer is given a function that takes the `grant_type` of the request when it is known
 */
export async function measuredTokenRequest<T>(
  { telemetry, configuration }: Pick<Dependencies, "telemetry" | "configuration">,
  answer: (asksFor: (grantType: string | undefined) => void) => Promise<T>,
): Promise<T> {
  let grant: string | undefined;
  const asksFor = (grantType: string | undefined) => {
    const grants = enabledGrants(configuration().configuration);
    grant = grants.find((known) => known.grantType === grantType)?.grantType;
  };
  const count = (outcome: string) =>
    telemetry?.record("countersign.token.requests", 1, {
      "countersign.grant": grant ?? "_OTHER",
      "countersign.outcome": outcome,
    });
  try {
    const result = await answer(asksFor);
    count("issued");
    return result;
  } catch (error) {
    count(error instanceof OAuthError ? error.code : "error");
    throw error;
  }
}
