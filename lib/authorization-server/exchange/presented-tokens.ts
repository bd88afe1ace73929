import type { TokenRecord } from "../../stores/tokens.ts";
import type { OAuthClient } from "../clients/client.ts";
import { oidcProviderOf } from "../oidc-provider.ts";
import type { AuthorizationServerPorts } from "../ports.ts";
import { unacceptableToken } from "../refusals.ts";
import { activeToken, tokenToExchange } from "../tokens/access-token.ts";
import { chainShard } from "../tokens/sharding.ts";
import { connectorSubject, connectorToken } from "./connector-token.ts";
import { ACCESS_TOKEN_TYPE, type ExchangeRequest, JWT_TYPE } from "./exchange-request.ts";
import type { Actor, ExchangeContext, Subject } from "./subject.ts";

/**
 * The subject of an exchange. Its token is an active access token of this issuer, or a token of a connector's issuer if the
 * caller may exchange those. Either must be meant for the caller.
 *
 * @throws {OAuthError} `invalid_request`
 */
export async function subjectOf(
  { subjectToken, subjectTokenType }: ExchangeRequest,
  caller: OAuthClient,
  dependencies: AuthorizationServerPorts,
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

/** The party that an actor token names. */
export interface NamedActor {
  readonly actor: Actor;
  /** Milliseconds since the epoch. */
  readonly expiresAt: number;
}

/**
 * The actor that an actor token names; undefined without an actor token. The same rules apply as for a subject token. The
 * token must not name an actor itself: the new token could hold only one of the two chains of actors.
 *
 * @throws {OAuthError} `invalid_request`
 */
export async function namedActor(
  { actorToken: text, actorTokenType: type }: Pick<ExchangeRequest, "actorToken" | "actorTokenType">,
  caller: OAuthClient,
  dependencies: AuthorizationServerPorts,
): Promise<NamedActor | undefined> {
  if (text === undefined || type === undefined) return undefined;
  const { subject, clientId, expiresAt, claims } = await ownToken("actor_token", { text, type }, caller, dependencies);
  if (claims?.act !== undefined) {
    throw unacceptableToken("actor_token", "names an actor and cannot be an actor itself");
  }
  const actor = subject === clientId ? { sub: clientId } : { sub: subject, client_id: clientId };
  return { actor, expiresAt };
}

function ownSubject(record: TokenRecord): Subject {
  const { chainId, consentId, memberId, ancestors = [], tokenId } = record;
  const apiClientId = beginner(record);
  const agentId = record.agentId ?? (apiClientId === undefined ? record.clientId : undefined);
  const apiClientKeyPairId = record.keyPairId ?? record.apiClientKeyPairId;
  return {
    subject: record.subject,
    client: { sub: record.clientId },
    ...(record.organizationId !== undefined && { organizationId: record.organizationId }),
    expiresAt: record.expiresAt,
    lineage: {
      chainId,
      ...(consentId !== undefined && { consentId }),
      ...(apiClientId !== undefined && { apiClientId }),
      ...(apiClientKeyPairId !== undefined && { apiClientKeyPairId }),
      ...(agentId !== undefined && { agentId }),
      ...(memberId !== undefined && { memberId }),
      ancestors: [...ancestors, tokenId],
    },
    presented: record,
    claims: record.claims ?? {},
  };
}

/** The API client that started the chain. Its own tokens, which it got for an assertion, name it only as their client. */
function beginner({ keyPairId, clientId, apiClientId }: TokenRecord): string | undefined {
  return keyPairId === undefined ? apiClientId : clientId;
}

interface PresentedToken {
  readonly text: string;
  readonly type: string;
}

/**
 * The record of an active access token of this issuer that is meant for the caller (checklist 16, 18). For a subject token,
 * the store checks again when it records the exchange. An actor token is not part of that, so the store is asked here.
 *
 * @throws {OAuthError} `invalid_request`
 */
async function ownToken(
  which: "subject_token" | "actor_token",
  { text, type }: PresentedToken,
  caller: OAuthClient,
  dependencies: AuthorizationServerPorts,
): Promise<TokenRecord> {
  const isType = type === ACCESS_TOKEN_TYPE || (type === JWT_TYPE && text.includes("."));
  if (!isType) throw unacceptableToken(which, "is not of the type that is given");
  const read = which === "subject_token" ? tokenToExchange : activeToken;
  const record = await read(text, dependencies);
  if (record === undefined) throw unacceptableToken(which, UNUSABLE, "it is not active");
  // A token of an earlier release has a chain id without a shard, which no opaque token could join.
  if (chainShard(record.chainId) === undefined) throw unacceptableToken(which, UNUSABLE, "its chain tells no shard");
  const { subjectAudiences } = caller.tokenExchange;
  if (subjectAudiences !== undefined && !subjectAudiences.includes(record.audience)) {
    throw unacceptableToken(which, UNUSABLE, "it is meant for somebody else");
  }
  return record;
}

const UNUSABLE = "is not active, or not meant for this client";
