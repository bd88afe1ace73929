import { auditEvent, named, nameIn } from "../audit/event.ts";
import type { AuditEvent } from "../stores/audit-log.ts";
import type { GrantRecord } from "../stores/grants.ts";
import type { TokenRecord } from "../stores/tokens.ts";
import type { AuthenticatedClient } from "./client-authentication.ts";
import type { AuthorizationServerPorts } from "./ports.ts";
import { activeToken } from "./tokens/access-token.ts";
import { tokenReference } from "./tokens/opaque.ts";

/**
 * Ends a token of the calling client (RFC 7009): an access token with all tokens that were exchanged for it, a refresh token
 * with its whole chain. Nothing happens to an unknown, ended or foreign token, and the answer is the same: the endpoint does
 * not tell which tokens exist.
 */
export async function revokeToken(
  token: string,
  caller: AuthenticatedClient,
  requestId: string,
  dependencies: AuthorizationServerPorts,
): Promise<void> {
  if (tokenReference(token, "refresh") !== undefined) await revokeRefreshToken(token, caller, requestId, dependencies);
  else await revokeAccessToken(token, caller, requestId, dependencies);
}

async function revokeAccessToken(
  text: string,
  caller: AuthenticatedClient,
  requestId: string,
  dependencies: AuthorizationServerPorts,
): Promise<void> {
  const record = await activeToken(text, dependencies);
  if (record === undefined || record.clientId !== caller.clientId) return;
  const event = revokedEvent(record, requestId, dependencies);
  const { tokens } = dependencies.stores;
  const reference = tokenReference(text);
  if (reference !== undefined) await tokens.revoke(reference, dependencies.clock.now(), event);
  else await tokens.end({ what: "token", lineage: record, expiresAt: record.expiresAt, event });
}

/** A refresh token that already has a successor ends the chain, too. */
async function revokeRefreshToken(
  text: string,
  caller: AuthenticatedClient,
  requestId: string,
  dependencies: AuthorizationServerPorts,
): Promise<void> {
  const { clock, stores } = dependencies;
  const reference = tokenReference(text, "refresh");
  const found = reference && (await stores.grants.refreshToken(reference, clock.now()));
  if (found === undefined || found.grant.clientId !== caller.clientId) return;
  const { chainId, consentId, expiresAt } = found.grant;
  const event = revokedEvent(found.grant, requestId, dependencies);
  await stores.tokens.end({ what: "chain", lineage: { chainId, consentId }, expiresAt, event });
}

function revokedEvent(
  revoked: TokenRecord | GrantRecord,
  requestId: string,
  dependencies: AuthorizationServerPorts,
): AuditEvent {
  const { clientId, organizationId, subject, subjectName, chainId } = revoked;
  return auditEvent(dependencies, {
    type: "token.revoked",
    ...(organizationId !== undefined && { organizationId }),
    outcome: "success",
    actor: clientId,
    agent: clientId,
    ...(subject !== clientId && { user: subject }),
    requestId,
    ...named(
      [clientId, "clientName" in revoked && revoked.clientName],
      [subject, subjectName ?? nameIn(revoked.claims)],
    ),
    details: { clientId, ...("tokenId" in revoked && { tokenId: revoked.tokenId }), chainId },
  });
}
