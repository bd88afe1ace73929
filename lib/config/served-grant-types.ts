import type { OidcAppGrantType } from "./app-configuration.ts";

export const TOKEN_EXCHANGE = "urn:ietf:params:oauth:grant-type:token-exchange";

const SERVED: readonly unknown[] = [
  "authorization_code",
  "refresh_token",
  TOKEN_EXCHANGE,
] satisfies readonly OidcAppGrantType[];

/** Whether the token endpoint serves a grant type to `oidc` apps. */
export function isServedGrantType(grantType: unknown): grantType is OidcAppGrantType {
  return SERVED.includes(grantType);
}
