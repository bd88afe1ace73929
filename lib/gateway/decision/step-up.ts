import type { JsonObject } from "../../kernel/json.ts";
import type { StepUp } from "../tool-terms.ts";
import type { Asked, DecisionPorts, Finding, Step } from "./step.ts";

/** The person signed in as the tool takes it (RFC 9470 §3). */
export const stepUp: Step = {
  name: "step-up",
  *judge(asked, ports) {
    yield [finding(asked, ports)];
  },
};

function finding(asked: Asked, ports: Pick<DecisionPorts, "clock" | "scopes">): Finding {
  const { stepUp: needed, caller } = asked;
  if (needed === undefined) return { outcome: "allow", why: "any will do" };
  const missing = missingAuthentication(needed, caller.identity?.claims, ports.clock.now());
  if (missing === undefined) return { outcome: "allow", why: "it is of the kind that is needed" };
  const { message, why } = LACKS[missing];
  return {
    outcome: "refuse",
    code: "insufficient_authentication",
    message,
    reason: "insufficient_authentication",
    details: { missing },
    needs: { scopes: scopesAfterwards(asked, ports), stepUp: needed },
    why: why(needed),
  };
}

const LACKS = {
  acr: {
    message: "This tool needs a sign-in of another kind.",
    why: ({ acr = [] }: StepUp) => `acr is none of ${acr.join(" ")}`,
  },
  too_old: {
    message: "This tool needs a more recent sign-in.",
    why: ({ maxAge = 0 }: StepUp) => `auth_time is missing, or over ${maxAge / 1_000} s ago`,
  },
} as const;

/**
 * What a token's `acr` and `auth_time` (OpenID Connect Core 1.0 §2, RFC 9068 §2.2.1) lack of what a tool takes. A sign-in of
 * which nothing is known is too old.
 *
 * @param now milliseconds since the epoch
 */
function missingAuthentication(
  { acr, maxAge }: StepUp,
  claims: JsonObject | undefined,
  now: number,
): keyof typeof LACKS | undefined {
  if (acr !== undefined && !acr.some((accepted) => accepted === claims?.acr)) return "acr";
  if (maxAge === undefined) return undefined;
  const authTime = claims?.auth_time;
  return typeof authTime === "number" && now - authTime * 1_000 <= maxAge ? undefined : "too_old";
}

/** The new token is to be good for what the former one was, too. */
function scopesAfterwards({ scopes, caller }: Asked, ports: Pick<DecisionPorts, "scopes">): readonly string[] {
  const wanted = new Set([...(caller.identity?.scopes ?? []), ...scopes]);
  return ports.scopes.filter((scope) => wanted.has(scope));
}
