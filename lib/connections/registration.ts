import type { Clock } from "../kernel/clock.ts";
import { fromBase64url, utf8 } from "../kernel/encoding.ts";
import type { JsonObject } from "../kernel/json.ts";
import type { Random } from "../kernel/random.ts";
import { createRateLimit } from "../kernel/rate-limit.ts";
import { mac, seal, unseal } from "../kernel/seal.ts";
import { fetchJson } from "../protocol/http/fetch-json.ts";
import type { InteractionRecord } from "../stores/grants.ts";
import type { Stores } from "../stores/stores.ts";
import { type ProviderFetchPorts, providerFetch } from "./provider-address.ts";
import type { DiscoveredConnector, ProviderMetadata } from "./provider-metadata.ts";
import { ProviderNotResolved, type ResolvedProvider } from "./resolved-provider.ts";

/** Who this service is at a provider that it registered itself at (RFC 7591 §3.2.1). */
export type RegisteredClient = Pick<ResolvedProvider, "clientID" | "clientSecret"> & {
  readonly clientAuthentication: RegisteredMethod;
};

/** Asked for in this order: a secret makes a refresh token useless to whoever finds it. */
const METHODS = ["client_secret_basic", "client_secret_post", "none"] as const;
type RegisteredMethod = (typeof METHODS)[number];

/** Where a client is registered, and as what. */
export interface RegistrationTerms {
  readonly connector: DiscoveredConnector & { readonly name: string };
  readonly metadata: ProviderMetadata;
  /** Where the provider sends people back to. */
  readonly redirectURL: string;
  /** What it calls this service toward people. */
  readonly clientName: string;
}

export interface Registrations {
  /**
   * The client, registered now if it is not yet.
   *
   * @throws {ProviderNotResolved}
   */
  client(terms: RegistrationTerms): Promise<RegisteredClient>;
  /** The provider does not know the client any more. */
  forget(terms: RegistrationTerms, clientID: string): Promise<void>;
}

export interface RegistrationPorts extends ProviderFetchPorts {
  readonly stores: { readonly grants: Pick<Stores["grants"], "begin" | "interaction" | "finish"> };
  readonly clock: Clock;
  readonly random: Random;
}

/**
 * Registrations live in the store, sealed by the vault's key, because refresh tokens are bound to their client for months, in every
 * instance of the region. The first of two that register at the same time stays. They are records of the kind that sign-ins under
 * way are: kept by a name that nobody can guess, and found by nothing else.
 *
 * @param vaultKeys 32 bytes each, base64url; the first seals, all open
 */
export function createRegistrations(vaultKeys: readonly string[], ports: RegistrationPorts): Registrations {
  const { stores, clock, random } = ports;
  const { grants } = stores;
  const keys = vaultKeys.flatMap((key) => fromBase64url(key) ?? []);
  const limit = createRateLimit(clock, LIMIT);

  const nameOf = (key: Uint8Array<ArrayBuffer>, terms: RegistrationTerms) => mac(key, PURPOSE, boundTo(terms));

  /** Under the first key that has one. */
  async function find(terms: RegistrationTerms): Promise<Found | undefined> {
    for (const [index, key] of keys.entries()) {
      const record = await grants.interaction(await nameOf(key, terms), clock.now());
      const kept = record && (await open(record, key, terms));
      if (record !== undefined && kept !== undefined) return { record, kept, isFirst: index === 0 };
    }
    return undefined;
  }

  async function keep(kept: KeptClient, terms: RegistrationTerms): Promise<void> {
    const [key] = keys;
    if (key === undefined) throw new ProviderNotResolved("there is no vault key that could seal a registration");
    const sealing = { secret: key, purpose: PURPOSE, bound: boundTo(terms) };
    const sealed = await seal(utf8(JSON.stringify(kept)), sealing, random);
    await grants.begin({
      interactionHash: await nameOf(key, terms),
      // Tells it apart from whatever was kept under the name before.
      revision: clock.now(),
      content: { registration: sealed },
      expiresAt: clock.now() + LIFETIME,
    });
  }

  const drop = ({ interactionHash, revision }: InteractionRecord) =>
    grants.finish(interactionHash, revision, clock.now());

  return {
    async client(terms) {
      const found = await find(terms);
      if (found !== undefined && !isOver(found.kept, clock.now())) {
        if (!found.isFirst) {
          // The key is being rotated: the registration goes along.
          await keep(found.kept, terms);
          await drop(found.record);
        }
        return found.kept.client;
      }
      if (!limit.take(terms.connector.name)) {
        throw new ProviderNotResolved(`${terms.metadata.issuer}: too many registrations in a short time`);
      }
      const registered = await register(terms, ports);
      if (isOver(registered, clock.now())) {
        throw new ProviderNotResolved(
          `${terms.metadata.issuer} answered the registration with a secret that has ended`,
        );
      }
      if (found !== undefined) await drop(found.record);
      await keep(registered, terms);
      const kept = await find(terms);
      if (kept === undefined) throw new ProviderNotResolved("the registration could not be kept");
      return kept.kept.client;
    },
    async forget(terms, clientID) {
      const found = await find(terms);
      if (found?.kept.client.clientID === clientID) await drop(found.record);
    },
  };
}

/** In an instance, for each connector: a provider that refuses each client anew is not asked for ever more. */
const LIMIT = { capacity: 5, perSecond: 1 / 600 };
/** Milliseconds. As good as for good: whoever does not know the client any more says so. */
const LIFETIME = 10 * 365 * 86_400_000;
const PURPOSE = "registration as a client of an OAuth provider";

interface Found {
  readonly record: InteractionRecord;
  readonly kept: KeptClient;
  readonly isFirst: boolean;
}

interface KeptClient {
  readonly client: RegisteredClient;
  /** When its secret ends, milliseconds since the epoch; absent: never. */
  readonly endsAt?: number;
}

function isOver({ endsAt }: KeptClient, now: number): boolean {
  return endsAt !== undefined && endsAt <= now;
}

/** A secret goes to the issuer alone that gave it. */
function boundTo({ connector, metadata, redirectURL }: RegistrationTerms): string {
  return JSON.stringify([connector.name, metadata.issuer, redirectURL]);
}

async function open(
  { content }: InteractionRecord,
  secret: Uint8Array<ArrayBuffer>,
  terms: RegistrationTerms,
): Promise<KeptClient | undefined> {
  const { registration } = content;
  if (typeof registration !== "string") return undefined;
  const opened = await unseal(registration, { secret, purpose: PURPOSE, bound: boundTo(terms) });
  // Written by `keep`, and authenticated.
  return opened && (JSON.parse(new TextDecoder().decode(opened)) as KeptClient);
}

async function register(terms: RegistrationTerms, ports: ProviderFetchPorts): Promise<KeptClient> {
  const { connector, metadata, redirectURL, clientName } = terms;
  const { registrationURL, authenticationMethods, hasRefreshTokens, issuer } = metadata;
  const method = METHODS.find((one) => authenticationMethods.includes(one));
  if (registrationURL === undefined || method === undefined) {
    throw new ProviderNotResolved(`${issuer} takes no registrations; accepted: oauthClientID of the connector`);
  }
  const body = JSON.stringify({
    client_name: clientName,
    // MCP 2026-07-28, "Client Registration" §4.1: a host in the network, where people come back to by https.
    application_type: "web",
    redirect_uris: [redirectURL],
    grant_types: ["authorization_code", ...(hasRefreshTokens ? ["refresh_token"] : [])],
    response_types: ["code"],
    token_endpoint_auth_method: method,
  });
  const headers = { "content-type": "application/json" };
  const answer = await fetchJson(providerFetch(connector, ports), registrationURL, {
    ...{ method: "POST", headers, body, timeout: TIMEOUT },
  }).catch((cause: unknown) => {
    throw new ProviderNotResolved(`${issuer} cannot be asked to register this service`, { cause });
  });
  if (answer.status !== 200 && answer.status !== 201) {
    throw new ProviderNotResolved(`${issuer} answered the registration with ${answer.status}`);
  }
  const kept = readRegistration(answer.body ?? {}, method);
  if (kept === undefined) throw new ProviderNotResolved(`${issuer} answered the registration without a usable client`);
  return kept;
}

/** Milliseconds. */
const TIMEOUT = 10_000;

/** RFC 7591 §3.2.1: the server may have changed what it was asked for. */
function readRegistration(answer: JsonObject, asked: RegisteredMethod): KeptClient | undefined {
  const { client_id, client_secret, client_secret_expires_at, token_endpoint_auth_method = asked } = answer;
  const method = METHODS.find((one) => one === token_endpoint_auth_method);
  if (!isCredential(client_id) || method === undefined) return undefined;
  if (method === "none") return { client: { clientID: client_id, clientAuthentication: method } };
  if (!isCredential(client_secret)) return undefined;
  const ends = typeof client_secret_expires_at === "number" && client_secret_expires_at > 0;
  return {
    client: { clientID: client_id, clientSecret: client_secret, clientAuthentication: method },
    ...(ends && { endsAt: client_secret_expires_at * 1_000 }),
  };
}

/** RFC 6749 appendix A.1 and A.2. */
function isCredential(value: unknown): value is string {
  return typeof value === "string" && /^[\x20-\x7e]{1,2048}$/.test(value);
}
