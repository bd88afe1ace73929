import { auditEvent } from "../audit/event.ts";
import type { Dependencies } from "../dependencies.ts";
import { introspectToken } from "../tokens/introspection.ts";
import { tokenReference } from "../tokens/opaque.ts";
import type { AuthenticatedClient } from "./client-authentication.ts";

/**
 * Ends a token of the calling client (RFC 7009). A token that is unknown, ended or another client's is left alone
 * without a word, so that the endpoint does not tell which tokens exist.
 */
export async function revokeToken(
  token: string,
  caller: AuthenticatedClient,
  requestId: string,
  dependencies: Dependencies,
): Promise<void> {
  const record = await introspectToken(token, dependencies);
  const reference = tokenReference(token);
  if (record === undefined || reference === undefined || record.clientId !== caller.clientId) return;
  const { clientId, organizationId, tokenId, chainId } = record;
  const event = auditEvent(dependencies, {
    type: "token.revoked",
    organizationId,
    outcome: "success",
    actor: clientId,
    agent: clientId,
    requestId,
    details: { clientId, tokenId, chainId },
  });
  await dependencies.stores.tokens.revoke(reference, dependencies.clock.now(), event);
}
