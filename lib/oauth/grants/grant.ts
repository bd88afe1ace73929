import type { Dependencies } from "../../dependencies.ts";
import type { ClientRequest } from "../request.ts";

/** RFC 6749 §5.1. `expires_in` in seconds; `scope` only when the token has any. */
export interface TokenResponse {
  readonly access_token: string;
  readonly token_type: "Bearer";
  readonly expires_in: number;
  readonly scope?: string;
}

/** One value of `grant_type`; each has one file in this folder. */
export interface Grant {
  readonly grantType: string;
  /** Parameters without which the request is `invalid_request`, besides `grant_type`. */
  readonly requiredParameters: readonly string[];
  handle(request: ClientRequest, dependencies: Dependencies): Promise<TokenResponse>;
}
