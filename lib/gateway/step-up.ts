import type { McpAppConfiguration, StepUpConfiguration } from "../config/app-configuration.ts";
import { firstNaming } from "../config/tool-pattern.ts";
import type { JsonObject } from "../json.ts";

/** What a person's sign-in has to be like for a tool (RFC 9470). */
export type StepUp = Pick<StepUpConfiguration, "acr" | "maxAge">;

/** Of the tools of an app: the first matching entry decides; undefined where any sign-in will do. */
export function stepUpOf({ stepUp }: Pick<McpAppConfiguration, "stepUp">): (localName: string) => StepUp | undefined {
  return firstNaming(stepUp, ({ tools }) => tools);
}

/** What a token lacks; undefined when nothing. */
export type MissingAuthentication = "acr" | "too_old";

/**
 * Whether a token's `acr` and `auth_time` (OpenID Connect Core 1.0 §2, RFC 9068 §2.2.1) are what a tool takes. A sign-in of
 * which nothing is known is too old.
 *
 * @param now milliseconds since the epoch
 */
export function missingAuthentication(
  { acr, maxAge }: StepUp,
  claims: JsonObject | undefined,
  now: number,
): MissingAuthentication | undefined {
  if (acr !== undefined && !acr.some((accepted) => accepted === claims?.acr)) return "acr";
  if (maxAge === undefined) return undefined;
  const authTime = claims?.auth_time;
  return typeof authTime === "number" && now - authTime * 1_000 <= maxAge ? undefined : "too_old";
}
