/** An authorization request that was checked, as it is kept while its person consents and signs in. */
export interface AuthorizationRequest {
  readonly clientId: string;
  readonly redirectURL: string;
  readonly namedRedirect: boolean;
  readonly state?: string;
  readonly scopes: readonly string[];
  /** At least one. */
  readonly resources: readonly string[];
  /** S256 (RFC 7636 §4.2). */
  readonly codeChallenge: string;
  readonly nonce?: string;
  readonly prompt: readonly Prompt[];
  /** Seconds. */
  readonly maxAge?: number;
  /** Any of them will do (RFC 9470 §4). Empty: whichever. */
  readonly acrValues: readonly string[];
  readonly loginHint?: string;
  /** Who has to be signed in: the person of the ID token that the client showed. */
  readonly expectedUserId?: string;
}

/** OpenID Connect Core 1.0 §3.1.2.1. */
export const PROMPTS = ["none", "login", "consent", "select_account"] as const;
export type Prompt = (typeof PROMPTS)[number];
