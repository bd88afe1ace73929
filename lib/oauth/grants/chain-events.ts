import { auditEvent } from "../../audit/event.ts";
import type { Dependencies } from "../../dependencies.ts";
import type { AuditEvent } from "../../stores/audit-log.ts";
import type { TokenRecord } from "../../stores/tokens.ts";

/** `token.issued` for a token of a person's chain. */
export function issuedEvent(
  grantType: string,
  token: TokenRecord,
  requestId: string,
  dependencies: Dependencies,
): AuditEvent {
  const { clientId, tokenId, chainId, audience } = token;
  return auditEvent(dependencies, {
    ...ofChain(token, requestId),
    type: "token.issued",
    outcome: "success",
    details: { clientId, tokenId, chainId, audience, grantType },
  });
}

/** `token.revoked`: the chain ends because something of it was presented twice. */
export function reuseEvent(
  reason: "authorization code used again" | "refresh token used again",
  token: TokenRecord,
  requestId: string,
  dependencies: Dependencies,
): AuditEvent {
  const { clientId, chainId } = token;
  return auditEvent(dependencies, {
    ...ofChain(token, requestId),
    type: "token.revoked",
    outcome: "success",
    reason,
    details: { clientId, chainId },
  });
}

function ofChain({ clientId, subject, organizationId }: TokenRecord, requestId: string) {
  return {
    ...(organizationId !== undefined && { organizationId }),
    actor: clientId,
    agent: clientId,
    user: subject,
    requestId,
  };
}
