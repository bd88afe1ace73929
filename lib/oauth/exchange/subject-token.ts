import type { Dependencies } from "../../dependencies.ts";
import type { TokenRecord } from "../../stores/tokens.ts";
import { activeToken, tokenToExchange } from "../../tokens/access-token.ts";
import { chainShard } from "../../tokens/sharding.ts";
import type { OAuthClient } from "../clients/client.ts";
import { oidcProviderOf } from "../provider.ts";
import { connectorSubject, connectorToken } from "./connector-token.ts";
import type { ExchangeRequest } from "./exchange-token.ts";
import { unacceptableToken } from "./refusals.ts";
import type { ExchangeContext, Subject } from "./subject.ts";
import { ACCESS_TOKEN_TYPE, JWT_TYPE } from "./token-types.ts";

/**
 * The subject of an exchange: an active access token of ours, or a token of a connector's issuer where the caller may bring
 * such, that is meant for the caller.
 *
 * @throws {OAuthError} `invalid_request`
 */
export async function subjectOf(
  { subjectToken, subjectTokenType }: ExchangeRequest,
  caller: OAuthClient,
  dependencies: Dependencies,
  context: ExchangeContext | undefined,
): Promise<Subject> {
  const provider = oidcProviderOf(dependencies.configuration().configuration);
  const foreign = context && connectorToken(subjectToken, caller, context.connectors, provider);
  if (context !== undefined && foreign !== undefined) {
    return connectorSubject(foreign, subjectTokenType, caller, dependencies, context);
  }
  return ownSubject(
    await ownToken("subject_token", { text: subjectToken, type: subjectTokenType }, caller, dependencies),
  );
}

interface PresentedToken {
  readonly text: string;
  readonly type: string;
}

/**
 * An active access token of ours that is meant for the caller (checklist 16, 18). Of a subject token, the store refuses what
 * is ended when it records the exchange; an actor token has no part in that and is looked up.
 *
 * @throws {OAuthError} `invalid_request`
 */
export async function ownToken(
  which: "subject_token" | "actor_token",
  { text, type }: PresentedToken,
  caller: OAuthClient,
  dependencies: Dependencies,
): Promise<TokenRecord> {
  const isType = type === ACCESS_TOKEN_TYPE || (type === JWT_TYPE && text.includes("."));
  if (!isType) throw unacceptableToken(which, "is not of the type that is given");
  const read = which === "subject_token" ? tokenToExchange : activeToken;
  const record = await read(text, dependencies);
  if (record === undefined) throw unacceptableToken(which, UNUSABLE, "it is not active");
  // What an earlier release issued has no chain that an opaque token could join.
  if (chainShard(record.chainId) === undefined) throw unacceptableToken(which, UNUSABLE, "its chain tells no shard");
  const { subjectAudiences } = caller.tokenExchange;
  if (subjectAudiences !== undefined && !subjectAudiences.includes(record.audience)) {
    throw unacceptableToken(which, UNUSABLE, "it is meant for somebody else");
  }
  return record;
}

const UNUSABLE = "is not active, or not meant for this client";

function ownSubject(record: TokenRecord): Subject {
  const { chainId, consentId, ancestors = [], tokenId } = record;
  const apiClientId = beginner(record);
  return {
    subject: record.subject,
    client: { sub: record.clientId },
    ...(record.organizationId !== undefined && { organizationId: record.organizationId }),
    expiresAt: record.expiresAt,
    lineage: {
      chainId,
      ...(consentId !== undefined && { consentId }),
      ...(apiClientId !== undefined && { apiClientId }),
      ancestors: [...ancestors, tokenId],
    },
    claims: record.claims ?? {},
  };
}

/** The API client whose chain it is; its own tokens, which an assertion brought, name it as their client alone. */
function beginner({ keyPairId, clientId, apiClientId }: TokenRecord): string | undefined {
  return keyPairId === undefined ? apiClientId : clientId;
}
