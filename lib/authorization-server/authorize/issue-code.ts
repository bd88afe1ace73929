import { auditEvent, named } from "../../audit/event.ts";
import { ulid } from "../../kernel/ids.ts";
import { OAuthError } from "../../protocol/oauth/errors.ts";
import type { ConsentRecord, GrantRecord } from "../../stores/grants.ts";
import type { OAuthClient } from "../clients/client.ts";
import { organizationOf } from "../clients/find-client.ts";
import { personClaims } from "../person-claims.ts";
import { personName } from "../person-name.ts";
import { mintToken } from "../tokens/opaque.ts";
import { grantShard, newChainId } from "../tokens/sharding.ts";
import type { AuthorizationRequest } from "./authorization-request.ts";
import { type ConnectorSession, covers } from "./next-step.ts";
import type { SignInContext } from "./sign-in-context.ts";

/** The lifetime of a code, milliseconds. RFC 6749 §4.1.2 recommends at most ten minutes. */
const CODE_LIFETIME = 60_000;

export interface Permitted {
  readonly client: OAuthClient;
  readonly request: AuthorizationRequest;
  readonly session: ConnectorSession;
  /** The person allowed it on our page. Otherwise an earlier consent covers it, or the configuration asks for none. */
  readonly isConsented: boolean;
}

/**
 * Stores the consent, starts the chain that depends on it, and makes its code.
 *
 * @throws {OAuthError} `access_denied` when the person takes the consent back, or something is stopped, at this very time
 */
export async function issueCode(permitted: Permitted, context: SignInContext): Promise<string> {
  const { client, request, session } = permitted;
  const { dependencies, provider } = context;
  const { stores, clock, random } = dependencies;
  const organizationId = await organizationOf(client, dependencies);
  const { signIn } = session;
  const claims = personClaims(signIn, request.scopes, client);
  const subjectName = await personName({ ...signIn, shown: claims }, client, dependencies);
  const consent = await saveConsent(permitted, { organizationId, subjectName }, context);
  const { issuer, subject } = signIn;
  const account = await stores.identities.findIdentity({ issuer, subject });
  const now = clock.now();
  const shard = grantShard(session.userId, client.clientId);
  const grant: GrantRecord = {
    chainId: newChainId(shard, now, random),
    consentId: consent.consentId,
    clientId: client.clientId,
    ...(organizationId !== undefined && { organizationId }),
    subject: session.userId,
    ...(subjectName !== undefined && { subjectName }),
    ...(account !== undefined && { memberId: account.userId }),
    scopes: request.scopes,
    resources: request.resources,
    claims,
    createdAt: now,
    expiresAt: now + provider.grantLifetime,
  };
  const { text, reference } = mintToken(provider.region, shard, random, "code");
  const { redirectURL, namedRedirect, codeChallenge, nonce } = request;
  const code = {
    ...{ redirectURL, namedRedirect, codeChallenge, expiresAt: now + CODE_LIFETIME },
    ...(nonce !== undefined && { nonce }),
  };
  if (await stores.grants.start(grant, code, reference)) return text;
  throw new OAuthError("access_denied", {
    description: "the consent was taken back, or the agent or the person was stopped",
  });
}

interface Parties {
  /** Of the client. */
  readonly organizationId: string | undefined;
  /** What the person is called, as far as the organization may read it. */
  readonly subjectName: string | undefined;
}

/** An earlier consent may have been revoked since it was read. Then it is not given again. */
async function saveConsent(
  { client, request, session, isConsented }: Permitted,
  { organizationId, subjectName }: Parties,
  { dependencies, request: { requestId } }: SignInContext,
): Promise<ConsentRecord> {
  const { stores, clock, random } = dependencies;
  const now = clock.now();
  const { userId: subject } = session;
  const { clientId } = client;
  const { scopes, resources } = request;
  if (!isConsented && client.consent !== "never") {
    const existing = await stores.grants.consent(subject, clientId);
    if (existing !== undefined && covers(existing, request)) return existing;
    throw new OAuthError("access_denied", { description: "the consent was taken back" });
  }
  const consentId = `consent_${ulid(now, random)}`;
  const event = auditEvent(dependencies, {
    type: "consent.given",
    outcome: "success",
    ...(organizationId !== undefined && { organizationId }),
    actor: subject,
    user: subject,
    agent: clientId,
    ...(!isConsented && { reason: "asked for by the configuration alone" }),
    requestId,
    ...named([clientId, client.name], [subject, subjectName]),
    details: { scopes: scopes.join(" "), resources: resources.join(" ") },
  });
  return stores.grants.giveConsent(
    {
      ...{ consentId, subject, clientId, scopes, resources, createdAt: now, updatedAt: now },
      ...(subjectName !== undefined && { subjectName }),
    },
    event,
  );
}
