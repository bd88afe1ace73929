import type { Connector } from "../../connectors/connectors.ts";
import type { ClientRequest } from "../client-request.ts";
import type { AuthorizationServerPorts } from "../ports.ts";

/** RFC 6749 §5.1. `expires_in` in seconds; `scope` only when the token has any. */
export interface TokenResponse {
  readonly access_token: string;
  readonly token_type: "Bearer";
  readonly expires_in: number;
  readonly scope?: string;
  readonly refresh_token?: string;
  /** OpenID Connect Core 1.0 §3.1.3.3. */
  readonly id_token?: string;
  /** RFC 8693 §2.2.1. */
  readonly issued_token_type?: string;
}

/** One value of `grant_type`; each has one file in this folder. */
export interface Grant {
  readonly grantType: string;
  /** Parameters without which the request is `invalid_request`, besides `grant_type`. */
  readonly requiredParameters: readonly string[];
  /** @param connectors of the configuration; only token exchange uses them */
  handle(
    request: ClientRequest,
    dependencies: AuthorizationServerPorts,
    connectors: readonly Connector[],
  ): Promise<TokenResponse>;
}
