/** How a request may be answered. */
export interface Expectation {
  /** Success is right. */
  readonly isValid: boolean;
  /** Refusals that are right, as `refusalText` writes them. */
  readonly refusals: ReadonlySet<string>;
  /** The token that a successful introspection is about is active for the caller; perhaps: either answer is right. */
  readonly isActive?: boolean | "perhaps";
  /** The assertion's client and `jti`, which count once. */
  readonly usedId?: string;
  /** The API client that is proven to ask. */
  readonly clientId?: string;
  /** What it asks about at introspection and revocation. */
  readonly token?: string;
}

export function refusalText(status: number, error: string, description?: string): string {
  return description === undefined ? `${status} ${error}` : `${status} ${error}: ${description}`;
}

export function refused(...refusals: readonly string[]): Expectation {
  return { isValid: false, refusals: new Set(refusals) };
}

export const INVALID_REQUEST: string = refusalText(400, "invalid_request");
export const TOO_LARGE: string = refusalText(413, "invalid_request");
/** What wrong client authentication is told, whatever is wrong with it (D177). */
const ACCEPTED =
  "accepted, as the client is registered: its secret by HTTP Basic or as client_secret in the form, a client_assertion signed by its key, or client_id alone for a public client";
const UNKNOWN_CLIENT = `the client is unknown, or this is not its authentication; ${ACCEPTED}`;
export const UNAUTHENTICATED: string = refusalText(401, "invalid_client", UNKNOWN_CLIENT);
/** A secret in the form that names no client. */
export const NAMELESS_SECRET: string = refusalText(400, "invalid_client", UNKNOWN_CLIENT);
export const SEVERAL_METHODS: string = refusalText(400, "invalid_request", `authenticate in one way; ${ACCEPTED}`);
export const UNSUPPORTED_GRANT: string = refusalText(400, "unsupported_grant_type");
export const UNAUTHORIZED_APP: string = refusalText(
  400,
  "unauthorized_client",
  "the client is not registered for client_credentials",
);
/** What a second `resource` or `audience` is told (D145). */
export const ONE_AUDIENCE: readonly string[] = ["resource", "audience"].map((name) =>
  refusalText(400, "invalid_request", `${name} is accepted once: a token is for one audience`),
);
export const INVALID_SCOPE: string = refusalText(400, "invalid_scope");
export const INVALID_TARGET: string = refusalText(400, "invalid_target");

/** What `invalid_client` says about an assertion (D7). */
export const DESCRIPTIONS = [
  "failed to parse JWT",
  "invalid client",
  "invalid JWT signature",
  "invalid JWT audience",
  "expired JWT",
  "invalid JWT claims",
  "replayed JWT",
] as const;

export function invalidClient(description: (typeof DESCRIPTIONS)[number]): string {
  return refusalText(400, "invalid_client", description);
}

/** What any of several readings of one request allows. */
export function anyOf(expectations: readonly Expectation[]): Expectation {
  return {
    ...expectations.find(({ isValid }) => isValid),
    isValid: expectations.some(({ isValid }) => isValid),
    refusals: new Set(expectations.flatMap(({ refusals }) => [...refusals])),
  };
}
