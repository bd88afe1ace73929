/** The person's own token at a provider that trusts no issuer but itself (D210). */
export interface UserTokenConfiguration {
  readonly type: "userToken";
  /** Name of one of `oauthConnectors`. */
  readonly connector: string;
  /** What the token is for, where the provider knows resources (RFC 8707). */
  readonly resource?: string;
  /** What every connection is asked for. */
  readonly scopes: readonly string[];
  /** What tools need beside that; first match wins. */
  readonly tools: readonly { readonly name: string; readonly scopes: readonly string[] }[];
  /** A connection serves only the agent that it was made for. */
  readonly perAgent: boolean;
}
