import { managementAudience } from "../../api-clients/audiences.ts";
import { auditEvent, named } from "../../audit/event.ts";
import type { Configuration } from "../../config/configuration.ts";
import { ulid } from "../../kernel/ids.ts";
import { pause } from "../../kernel/timers.ts";
import { OAuthError } from "../../protocol/oauth/errors.ts";
import type { TokenRecord } from "../../stores/tokens.ts";
import { namedClient, presentedAssertion } from "../client-assertion.ts";
import { authenticateOAuthClient } from "../client-authentication.ts";
import type { ClientRequest } from "../client-request.ts";
import { parseBasic } from "../client-secret.ts";
import type { OAuthClient } from "../clients/client.ts";
import { appClient, organizationOf } from "../clients/find-client.ts";
import { appScopes } from "../exchange/terms.ts";
import type { Form } from "../form.ts";
import type { AuthorizationServerPorts } from "../ports.ts";
import { afterRefusal } from "../refusal-records.ts";
import { invalidClient, requireGrantType, unauthorizedClient } from "../refusals.ts";
import { type MintedAccessToken, mintAccessToken } from "../tokens/access-token.ts";
import { laneShard, newChainId } from "../tokens/sharding.ts";
import type { TokenResponse } from "./grant.ts";

/**
 * RFC 6749 §4.4 for an `oidc` app that lists the grant: a token with which the app acts for itself (D177). It names no person,
 * has no refresh token, and is never for the management API.
 *
 * @throws {OAuthError} `invalid_client`, `unauthorized_client`, `invalid_target`, `invalid_scope`
 */
export async function appCredentialsToken(
  request: ClientRequest,
  dependencies: AuthorizationServerPorts,
): Promise<TokenResponse> {
  const client = await authenticated(request, dependencies);
  // Public clients cannot prove who they are, and a client that came by itself may act for people only.
  if (client.authentication.method === "none")
    throw unauthorizedClient("a public client has no credentials of its own");
  // All but the first refusal of a kind are only counted (D157).
  const recordRefusal = ({ description, code }: OAuthError) =>
    record({ client, reason: description ?? code, actor: client.clientId }, request, dependencies);
  return afterRefusal(async () => {
    requireGrantType("client_credentials", client);
    const token = await decide(client, request.form, dependencies);
    const minted = await mintAccessToken(token, client.accessToken.type, dependencies);
    await issue({ token, minted, client, request }, dependencies);
    return {
      access_token: minted.text,
      token_type: "Bearer",
      expires_in: Math.floor((token.expiresAt - token.issuedAt) / 1_000),
      ...(token.scopes.length > 0 && { scope: token.scopes.join(" ") }),
    };
  }, recordRefusal);
}

async function authenticated(request: ClientRequest, dependencies: AuthorizationServerPorts): Promise<OAuthClient> {
  try {
    return await authenticateOAuthClient(request, dependencies);
  } catch (error) {
    if (error instanceof OAuthError && error.code === "invalid_client") recordStranger(request, dependencies);
    throw error;
  }
}

/**
 * Records that somebody named an app and did not authenticate as it. It happens after the answer was sent, so the time of the
 * answer does not tell which apps there are. Strangers share few reads of the organization; what is beyond is in the log alone.
 */
function recordStranger(request: ClientRequest, dependencies: AuthorizationServerPorts): void {
  const clientId = namedApp(request);
  const client = clientId === undefined ? undefined : appClient(clientId, dependencies.configuration().configuration);
  if (client === undefined || client.authentication.method === "none") return;
  if (!dependencies.revokedSignerSearches.allow(client.clientId, request.source)) return;
  const recording = async () => {
    // Stores that answer at once would otherwise come before what is left to do for the answer.
    await pause(0);
    await record({ client, reason: "client authentication failed" }, request, dependencies);
  };
  request.waitUntil(recording());
}

/** The id that a request names, whoever sent it; undefined where it names none. */
function namedApp(request: ClientRequest): string | undefined {
  const { authorization, form } = request;
  if (authorization !== undefined) return parseBasic(authorization)?.clientId;
  if (!form.has("client_assertion")) return form.get("client_id");
  try {
    return namedClient(presentedAssertion(request), request);
  } catch (error) {
    if (error instanceof OAuthError) return undefined;
    throw error;
  }
}

interface RecordedRefusal {
  readonly client: OAuthClient;
  readonly reason: string;
  /** Absent: nobody proved to be the client. */
  readonly actor?: string;
}

async function record(
  { client, ...fields }: RecordedRefusal,
  { requestId }: ClientRequest,
  dependencies: AuthorizationServerPorts,
): Promise<void> {
  const organizationId = await organizationOf(client, dependencies);
  const event = auditEvent(dependencies, {
    type: "token.refused",
    ...(organizationId !== undefined && { organizationId }),
    outcome: "refused",
    agent: client.clientId,
    app: client.name,
    requestId,
    ...named([client.clientId, client.name]),
    ...fields,
    details: { clientId: client.clientId, grantType: "client_credentials" },
  });
  await dependencies.refusals.record(event);
}

async function decide(client: OAuthClient, form: Form, dependencies: AuthorizationServerPorts): Promise<TokenRecord> {
  const { configuration, clock, random } = dependencies;
  const { clientId, accessToken } = client;
  const audience = targetOf(form, client, configuration().configuration);
  const scopes = appScopes(form.get("scope"), client);
  const organizationId = await organizationOf(client, dependencies);
  const issuedAt = clock.now();
  const id = ulid(issuedAt, random);
  return {
    tokenId: `tok_${id}`,
    // Nothing but the token itself is ended in its shard, so that a busy app's tokens spread over several.
    chainId: newChainId(laneShard(clientId, id), issuedAt, random),
    clientId,
    clientName: client.name,
    ...(organizationId !== undefined && { organizationId }),
    subject: clientId,
    audience,
    scopes,
    issuedAt,
    expiresAt: issuedAt + accessToken.lifetime,
  };
}

/**
 * The target: `resource` (RFC 8707) or `audience`, or both if they are equal. It must be one of the app's audiences. The only
 * one is the default.
 *
 * @throws {OAuthError} `invalid_target`
 */
function targetOf(form: Form, { audiences }: OAuthClient, configuration: Pick<Configuration, "publicURL">): string {
  const allowed = audiences.filter((audience) => audience !== managementAudience(configuration));
  const [resource, audience] = [form.get("resource"), form.get("audience")];
  if (resource !== undefined && audience !== undefined && resource !== audience) {
    throw invalidTarget("audience and resource differ; one target is accepted");
  }
  const asked = resource ?? audience;
  if (asked === undefined && allowed.length > 1) {
    throw invalidTarget("resource or audience is missing; the client has several allowedAudiences");
  }
  const target = asked ?? allowed[0];
  if (target !== undefined && allowed.includes(target)) return target;
  throw invalidTarget("the client may not ask for this target; accepted: one of its allowedAudiences");
}

interface ToIssue {
  readonly token: TokenRecord;
  readonly minted: MintedAccessToken;
  readonly client: OAuthClient;
  readonly request: ClientRequest;
}

/** The one durable step. The store refuses if the client or its organization is stopped. */
async function issue(
  { token, minted: { stored }, client, request: { requestId } }: ToIssue,
  dependencies: AuthorizationServerPorts,
): Promise<void> {
  const { clientId, organizationId, tokenId, chainId, audience } = token;
  const isIssued = await dependencies.stores.tokens.exchange({
    token,
    ...(stored !== undefined && { reference: stored.reference }),
    event: auditEvent(dependencies, {
      type: "token.issued",
      ...(organizationId !== undefined && { organizationId }),
      outcome: "success",
      actor: clientId,
      agent: clientId,
      app: client.name,
      requestId,
      ...named([clientId, client.name]),
      details: { clientId, tokenId, chainId, audience, grantType: "client_credentials" },
    }),
  });
  if (!isIssued) throw invalidClient("invalid client", "the client or its organization is stopped");
}

function invalidTarget(description: string): OAuthError {
  return new OAuthError("invalid_target", { description });
}
