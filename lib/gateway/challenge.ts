import type { StepUp } from "./tool-terms.ts";

/** RFC 6750 §3.1, RFC 9470 §3, and what the gateway answers when it cannot check a token. */
export type ChallengeError =
  | "invalid_request"
  | "invalid_token"
  | "insufficient_scope"
  | "insufficient_user_authentication";

export interface Challenge {
  readonly status: 400 | 401 | 403;
  /** Absent when no token was sent (RFC 6750 §3). */
  readonly error?: ChallengeError;
  readonly description: string;
  readonly scopes: readonly string[];
  /** The sign-in that the next token has to come of. */
  readonly stepUp?: StepUp | undefined;
}

/**
 * The authorization challenge (D14). The body repeats the header, because some hosts rename it. Every part comes from the
 * configuration.
 */
export function challengeResponse(challenge: Challenge, resourceMetadata: string): Response {
  const { status, error, description, scopes, stepUp } = challenge;
  const facts = {
    ...(error !== undefined && { error }),
    ...(stepUp !== undefined && { error_description: description, ...stepUpFacts(stepUp) }),
    ...(scopes.length > 0 && { scope: scopes.join(" ") }),
    resource_metadata: resourceMetadata,
  };
  const parameters = Object.entries(facts).map(([name, value]) => `${name}=${quoted(value)}`);
  return Response.json(
    { error: "unauthorized", error_description: description, ...facts },
    { status, headers: { "www-authenticate": `Bearer ${parameters.join(", ")}`, "cache-control": "no-store" } },
  );
}

/** RFC 9470 §3: `max_age` in seconds. */
function stepUpFacts({ acr, maxAge }: StepUp): Readonly<Record<string, string>> {
  return {
    ...(acr !== undefined && { acr_values: acr.join(" ") }),
    ...(maxAge !== undefined && { max_age: String(Math.floor(maxAge / 1_000)) }),
  };
}

/** RFC 9110 §5.6.4; what no header can hold is left out. */
function quoted(value: string): string {
  return `"${value.replace(/[^\t\x20-\x7e]/g, "").replace(/["\\]/g, "\\$&")}"`;
}
