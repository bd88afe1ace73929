import { OAuthError } from "../../lib/oauth/errors.ts";
import type { Endpoint } from "../env.ts";

/** Authorization endpoint: refuses every response type, as the metadata says. It never redirects. */
export const authorize: Endpoint = () => () => {
  throw new OAuthError("unsupported_response_type");
};
