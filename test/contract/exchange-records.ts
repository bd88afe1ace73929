import { expect } from "vitest";
import { chainShard, newChainId } from "../../lib/authorization-server/tokens/sharding.ts";
import { base64url } from "../../lib/kernel/encoding.ts";
import { ulid, uuid } from "../../lib/kernel/ids.ts";
import { webCryptoRandom as random } from "../../lib/kernel/random.ts";
import type { AuditEventType } from "../../lib/stores/audit-log.ts";
import type { Stores } from "../../lib/stores/stores.ts";
import type { Ending, TokenExchange, TokenRecord } from "../../lib/stores/tokens.ts";
import { eventually } from "../support/eventually.ts";
import { redeemedChain } from "./grant-workings.ts";
import { apiClient, auditEvent, MINUTE, newOrganizationId, tokenIssue } from "./records.ts";

/** An exchange that brings an opaque token. */
export type OpaqueExchange = TokenExchange & Required<Pick<TokenExchange, "reference">>;

/** A person's token, issued for a code. */
export async function personToken(stores: Stores): Promise<TokenRecord> {
  const { redemption } = await redeemedChain(stores);
  return redemption.accessToken.token;
}

/** A token of an API client of its own. */
export async function clientToken({ apiClients, tokens }: Stores) {
  const client = apiClient();
  await apiClients.create(client, auditEvent({ organizationId: client.organizationId }));
  const request = tokenIssue(client);
  const { reference } = request;
  const token = { ...request.token, chainId: newChainId(reference.shard, request.token.issuedAt, random) };
  expect(await tokens.issue({ ...request, token })).toEqual({ outcome: "issued" });
  return { client, reference, token };
}

/** The subject's token for another resource, with an event in an organization of its own. */
export function exchangeOf(subject: TokenRecord, fields: Partial<TokenRecord> = {}): OpaqueExchange {
  const { keyPairId, ...given } = subject;
  const issuedAt = Date.now();
  const tokenId = `tok_${ulid(issuedAt, random)}`;
  const apiClientId = keyPairId === undefined ? subject.apiClientId : subject.clientId;
  const token = {
    ...given,
    ...(apiClientId !== undefined && { apiClientId }),
    ...(keyPairId !== undefined && { apiClientKeyPairId: keyPairId }),
    ...(apiClientId === undefined && { agentId: subject.agentId ?? subject.clientId }),
    tokenId,
    ancestors: [...(subject.ancestors ?? []), subject.tokenId],
    clientId: `https://gateway.example/${uuid(random)}`,
    audience: "https://books.example",
    issuedAt,
    expiresAt: issuedAt + 30 * MINUTE,
    claims: { act: { sub: "gateway", act: { sub: "agent" } }, "https://example.com/level": null, share: 0.1 },
    ...fields,
  };
  const shard = chainShard(token.chainId);
  if (shard === undefined) throw new Error("the chain tells no shard");
  const organizationId = newOrganizationId();
  return {
    token,
    subject,
    reference: { shard, hash: base64url(random.bytes(32)) },
    event: auditEvent({ type: "token.exchanged", organizationId, details: { tokenId } }),
  };
}

/** A token that is there by now, exchanged for another one. */
export async function exchanged(
  { tokens }: Stores,
  subject: TokenRecord,
  fields?: Partial<TokenRecord>,
): Promise<OpaqueExchange> {
  const request = exchangeOf(subject, fields);
  expect(await tokens.exchange(request)).toBe(true);
  return request;
}

/** The end of a token or of its whole chain, with a record in an organization of its own. */
export function endingOf(token: TokenRecord, what: Ending["what"] = "token"): Ending {
  const { expiresAt } = token;
  const event = auditEvent({ type: "token.revoked", organizationId: newOrganizationId() });
  return { what, lineage: token, expiresAt, event };
}

/** Ids of an organization's records of a type once there are at least so many. */
export async function recordedIn(
  { auditLog }: Stores,
  { organizationId, type }: { readonly organizationId?: string; readonly type: AuditEventType },
  atLeast: number,
): Promise<readonly string[]> {
  const { items } = await eventually(
    () => auditLog.query({ organizationId, type }, { limit: 100 }),
    (page) => page.items.length >= atLeast,
  );
  return items.map(({ id }) => id);
}
