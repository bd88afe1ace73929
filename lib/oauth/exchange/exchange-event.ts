import { auditEvent } from "../../audit/event.ts";
import type { Dependencies } from "../../dependencies.ts";
import type { AuditEvent } from "../../stores/audit-log.ts";
import type { TokenRecord } from "../../stores/tokens.ts";
import { actorsOf } from "./actors.ts";
import type { ExchangeRequest } from "./exchange-token.ts";
import type { Subject } from "./subject.ts";

/** `token.exchanged`, or `token.impersonated` (checklist 19): who asked, who acts, and for whom. */
export function exchangeEvent(
  { clientId, subject, organizationId, tokenId, chainId, audience, ancestors = [], claims }: TokenRecord,
  { client }: Subject,
  { mode, requestId }: Pick<ExchangeRequest, "mode" | "requestId">,
  dependencies: Dependencies,
): AuditEvent {
  const actChain = actorsOf(claims?.act) ?? [];
  const subjectTokenId = ancestors.at(-1);
  return auditEvent(dependencies, {
    type: mode === "delegation" ? "token.exchanged" : "token.impersonated",
    ...(organizationId !== undefined && { organizationId }),
    outcome: "success",
    actor: clientId,
    agent: actChain[0] ?? client.sub,
    ...(subject !== client.sub && { user: subject }),
    ...(actChain.length > 0 && { actChain }),
    requestId,
    details: { clientId, tokenId, chainId, audience, ...(subjectTokenId !== undefined && { subjectTokenId }) },
  });
}
