/** RFC 6750 §3.1, and what the gateway answers when it cannot check a token. */
export type ChallengeError = "invalid_request" | "invalid_token" | "insufficient_scope";

export interface Challenge {
  readonly status: 400 | 401 | 403;
  /** Absent when no token was sent (RFC 6750 §3). */
  readonly error?: ChallengeError;
  readonly description: string;
  readonly scopes: readonly string[];
}

/**
 * The authorization challenge (D14). The body repeats the header, because some hosts rename it. Every part comes from the
 * configuration, so nothing needs quoting.
 */
export function challengeResponse(challenge: Challenge, resourceMetadata: string): Response {
  const { status, error, description, scopes } = challenge;
  const facts = {
    ...(error !== undefined && { error }),
    ...(scopes.length > 0 && { scope: scopes.join(" ") }),
    resource_metadata: resourceMetadata,
  };
  const parameters = Object.entries(facts).map(([name, value]) => `${name}="${value}"`);
  return Response.json(
    { error: "unauthorized", error_description: description, ...facts },
    { status, headers: { "www-authenticate": `Bearer ${parameters.join(", ")}`, "cache-control": "no-store" } },
  );
}
