import type { Dependencies } from "../../dependencies.ts";
import type { OAuthClient } from "../clients/client.ts";

/** RFC 8693 §2.1, read and not yet judged. */
export interface ExchangeRequest {
  readonly subjectToken: string;
  readonly subjectTokenType: string;
  readonly actorToken?: string;
  readonly actorTokenType?: string;
  readonly audience?: string;
  readonly resource?: string;
  readonly scope?: string;
  readonly requestedTokenType?: string;
  /** Extension `requested_expires_in`: seconds; only shortens. */
  readonly requestedExpiresIn?: number;
  /** Our own gateway asks so by `requested_token_type` and its app's permission: no `act`. */
  readonly mode: "delegation" | "impersonation";
  readonly requestId: string;
}

/** RFC 8693 §2.2.1. `expires_in` in seconds. */
export interface ExchangeResponse {
  readonly access_token: string;
  readonly issued_token_type: string;
  readonly token_type: "Bearer";
  readonly expires_in: number;
  readonly scope?: string;
}

/**
 * Exchanges a token for one of the caller, who has authenticated. The token endpoint and the gateway of the same instance
 * both come here.
 *
 * @throws {OAuthError} `invalid_request`, `invalid_target`, `invalid_scope`, `unauthorized_client`, `invalid_grant`
 */
export declare function exchangeToken(
  request: ExchangeRequest,
  caller: OAuthClient,
  dependencies: Dependencies,
): Promise<ExchangeResponse>;
