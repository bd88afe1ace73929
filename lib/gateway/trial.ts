import { showApiClient } from "../api-clients/administration.ts";
import { type Administrator, clientEvent } from "../api-clients/client-event.ts";
import { othersGrants } from "../api-clients/grantable.ts";
import { isOfCurrentIssuer } from "../authorization-server/authorize/signed-in-person.ts";
import type { OAuthClient } from "../authorization-server/clients/client.ts";
import { dynamicTerms, isRegisteredClientId } from "../authorization-server/clients/dynamic-client.ts";
import { appClient, organizationOf } from "../authorization-server/clients/find-client.ts";
import { isClientDocumentUrl } from "../authorization-server/clients/metadata-document.ts";
import type { AuthorizationServerPorts } from "../authorization-server/ports.ts";
import { scopesFor } from "../authorization-server/scope.ts";
import { mintAccessToken } from "../authorization-server/tokens/access-token.ts";
import { grantShard, laneShard, newChainId } from "../authorization-server/tokens/sharding.ts";
import { OPENID_SCOPES } from "../config/app-configuration.ts";
import { present } from "../config/assemble/context.ts";
import type { Configuration, OidcProviderConfiguration } from "../config/configuration.ts";
import { acceptsDynamicClients } from "../config/oauth-features.ts";
import { readFields, textField } from "../kernel/fields.ts";
import { ulid } from "../kernel/ids.ts";
import { ProblemError } from "../kernel/problem.ts";
import { type IdentityRecord, personId } from "../stores/identities.ts";
import type { TokenRecord } from "../stores/tokens.ts";
import { isOwnServer } from "./inbound/trusted-servers.ts";

/** The Console as the client that acts for people. API clients and clients that come by themselves have ids of other forms. */
export const CONSOLE_CLIENT = "countersign-console";

/** The longest life of a token, milliseconds. */
const LIFETIME = 300_000;

/** Where tools are tried, and what the tokens are for. */
export interface TrialTarget {
  readonly url: string;
  readonly resource: string;
  readonly provider: OidcProviderConfiguration;
}

/** Undefined: it is turned off, or the gateway takes no tokens of this instance over Streamable HTTP. */
export function trialTarget({
  console,
  publicURL,
  oidcProvider: provider,
  mcpProvider,
}: Configuration): TrialTarget | undefined {
  const { stream, oauth } = mcpProvider ?? {};
  if (!console.playground || provider === undefined || stream === undefined || !oauth?.enabled) return undefined;
  const { path, resource } = stream;
  const own = oauth.servers.find((server) => isOwnServer(server, provider));
  return own?.expectedAudiences.includes(resource) ? { url: publicURL + path, resource, provider } : undefined;
}

/** Who tries tools of their organization. */
export interface Trying extends Administrator {
  readonly isOwner: boolean;
  /** As agents see it; absent: what there is, is to be listed first. */
  readonly tool?: string;
}

/** A token to try tools with. The text goes to the person's browser and nowhere else. */
export interface Trial extends Pick<TrialTarget, "url"> {
  readonly issuer: string;
  readonly text: string;
  readonly token: TokenRecord;
}

/** What differs between the token of a person and that of an API client. */
type TrialTerms = Pick<TokenRecord, "clientId" | "subject" | "scopes" | "memberId" | "apiClientId"> & {
  readonly shard: number;
  readonly lifetime: number;
};

/**
 * Issues a token from `{clientId?}`: of the person with the Console as their agent, or of an API client of the organization, which
 * owners may ask for.
 *
 * @throws ProblemError `invalid_body`, `invalid_field`, `forbidden`, `not_found`, `conflict` where there can be no such token
 */
export async function beginTrial(ports: AuthorizationServerPorts, trying: Trying, input: unknown): Promise<Trial> {
  const fields = readFields(input, ["clientId"]);
  const clientId =
    fields.object.clientId === undefined ? undefined : textField(fields, "clientId", { min: 1, max: 100 });
  fields.finish();
  const target = trialTarget(ports.configuration().configuration);
  if (target === undefined) throw conflict("Tools cannot be tried at this instance.");
  const { shard, lifetime, ...terms } = await (clientId === undefined
    ? personTerms(ports, trying, target)
    : clientTerms(ports, trying, target, clientId));
  const { organizationId, id, tool } = trying;
  const issuedAt = ports.clock.now();
  const token: TokenRecord = {
    ...terms,
    tokenId: `tok_${ulid(issuedAt, ports.random)}`,
    chainId: newChainId(shard, issuedAt, ports.random),
    organizationId,
    audience: target.resource,
    issuedAt,
    expiresAt: issuedAt + Math.min(lifetime, LIFETIME),
    trialBy: id,
  };
  const { text, stored } = await mintAccessToken(token, "opaque", ports);
  const { tokenId, chainId, audience, subject } = token;
  const event = {
    ...clientEvent(ports, trying, "token.issued", { clientId: terms.clientId, tokenId, chainId, audience, trial: id }),
    agent: terms.clientId,
    ...present({ tool, user: terms.memberId && subject }),
  };
  const isIssued = await ports.stores.tokens.exchange({ token, ...(stored && { reference: stored.reference }), event });
  if (!isIssued) throw conflict("Whoever would call is stopped.");
  return { text, token, url: target.url, issuer: target.provider.issuer };
}

/** Those of one client that the person could sign in at, of which it gets nothing that it would not get by itself. */
async function personTerms(
  ports: AuthorizationServerPorts,
  { id, organizationId }: Trying,
  { resource }: TrialTarget,
): Promise<TrialTerms> {
  const { configuration } = ports.configuration();
  const accounts = await ports.stores.identities.listIdentities(id);
  const found: TrialTerms[] = [];
  for (const client of agentsOf(configuration)) {
    const account = accounts.find((one) => isOf(one, client, configuration));
    if (account === undefined || !client.audiences.includes(resource)) continue;
    if ((await organizationOf(client, ports)) !== organizationId) continue;
    const subject = personId(account);
    found.push({
      ...{ clientId: CONSOLE_CLIENT, subject, memberId: id, lifetime: client.accessToken.lifetime },
      scopes: scopesFor(undefined, client.scopes, "resource").filter((scope) => !OPENID_SCOPES.includes(scope)),
      shard: grantShard(subject, CONSOLE_CLIENT),
    });
  }
  const [most] = found.toSorted((one, other) => other.scopes.length - one.scopes.length);
  if (most === undefined)
    throw conflict(
      "You have linked no account with which an agent could act for you here. Owners can call as an API client instead.",
    );
  return most;
}

type Agent = Pick<
  OAuthClient,
  "organization" | "scopes" | "audiences" | "connectors" | "claimsMapping" | "accessToken"
>;

/** Clients that act for people: those of the configuration, and what all get that come by themselves. */
function agentsOf(configuration: Configuration): readonly Agent[] {
  const apps = configuration.apps.flatMap((app) =>
    app.type === "oidc" && app.grantTypes.includes("authorization_code")
      ? (appClient(app.clientID, configuration) ?? [])
      : [],
  );
  return acceptsDynamicClients(configuration) ? [...apps, dynamicTerms(configuration)] : apps;
}

/**
 * Those whose tokens a client that acts for people may have: its own terms, or, of the Console, those of each. None: there is no such client.
 * Nothing is fetched or read; a client that came by itself is known by the form of its id.
 */
export function agentsOfClient(clientId: string, configuration: Configuration): readonly Agent[] {
  if (clientId === CONSOLE_CLIENT) {
    return agentsOf(configuration).toSorted((one, other) => other.scopes.length - one.scopes.length);
  }
  const app = appClient(clientId, configuration);
  if (app !== undefined) return [app];
  const comes = isClientDocumentUrl(clientId) || isRegisteredClientId(clientId);
  return comes && acceptsDynamicClients(configuration) ? [dynamicTerms(configuration)] : [];
}

/** Whether the person can sign in with the account there. What a sign-in tells, and tokens then say, the Console does not know. */
function isOf(account: IdentityRecord, { connectors, claimsMapping }: Agent, configuration: Configuration): boolean {
  const { connector } = account;
  if (!connectors.includes(connector) || !isOfCurrentIssuer(account, configuration.connectors)) return false;
  return !Object.values(claimsMapping).some((source) => source.startsWith(`${connector}.`));
}

/** As the client itself would get, without an assertion. */
async function clientTerms(
  ports: AuthorizationServerPorts,
  { organizationId, isOwner, tool = "" }: Trying,
  { resource, provider: { apiClients } }: TrialTarget,
  clientId: string,
): Promise<TrialTerms> {
  if (!isOwner) throw new ProblemError("forbidden", "Only an owner may call as an API client.");
  const { resources, scopes } = await showApiClient(ports, organizationId, clientId);
  const others = await othersGrants(ports, organizationId);
  if (!apiClients.enabled || !resources.includes(resource) || others.audiences.has(resource)) {
    throw conflict("The API client gets no token for the gateway.");
  }
  return {
    ...{ clientId, subject: clientId, apiClientId: clientId, lifetime: apiClients.accessTokenLifetime },
    scopes: scopesFor(
      undefined,
      scopes.filter((scope) => !others.scopes.has(scope)),
      "resource",
    ),
    shard: laneShard(clientId, tool),
  };
}

function conflict(detail: string): ProblemError {
  return new ProblemError("conflict", detail);
}
