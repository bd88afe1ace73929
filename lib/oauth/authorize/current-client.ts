import type { Dependencies } from "../../dependencies.ts";
import { PageError } from "../../pages/page-error.ts";
import type { OAuthClient } from "../clients/client.ts";
import { findClient } from "../clients/find-client.ts";
import { isRegisteredRedirect } from "../clients/redirect-url.ts";
import type { AuthorizationRequest } from "./authorization-request.ts";

/**
 * The client of a request that is under way, as it is now.
 *
 * @throws {PageError} it is gone, or its redirect is
 */
export async function currentClient(
  { clientId, redirectURL }: AuthorizationRequest,
  dependencies: Dependencies,
): Promise<OAuthClient> {
  const client = await findClient(clientId, dependencies);
  if (client !== undefined && isRegisteredRedirect(redirectURL, client.redirectURLs)) return client;
  throw new PageError("This sign-in is over", "The application is not known here any more.", {
    detail: "the client or its redirect is gone",
  });
}
