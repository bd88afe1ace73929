import type { Configuration, OAuthConnectorConfiguration } from "../config/configuration.ts";
import { connectCallbackURL, connectMetadataURL } from "../config/endpoints.ts";
import { createRefreshingCache, type RefreshingCache, type WaitUntil } from "../kernel/refreshing-cache.ts";
import { loggableUrl, reportTo } from "../logging/fetch-report.ts";
import type { Logger } from "../logging/logger.ts";
import { publicUrlFault } from "../net/agent-supplied.ts";
import { type ClientKey, createClientKeys } from "./client-key.ts";
import { clientName, type DocumentMethod } from "./client-metadata.ts";
import { providerFetch } from "./provider-address.ts";
import { type DiscoveredConnector, fetchProviderMetadata, type ProviderMetadata } from "./provider-metadata.ts";
import { createRegistrations, type RegistrationPorts, type RegistrationTerms } from "./registration.ts";
import { ProviderNotResolved, type ProviderResolver, type ResolvedProvider } from "./resolved-provider.ts";

export interface ProviderResolverPorts extends RegistrationPorts {
  readonly logger: Logger;
}

type ResolverConfiguration = Pick<
  Configuration,
  "oauthConnectors" | "vaultKeys" | "mcpProvider" | "oidcProvider" | "publicURL"
>;

/** A resolver, with what it found out. */
export interface ProviderDiscovery extends ProviderResolver {
  /**
   * How this service authenticates at the provider of a connector, if its metadata document is its client id there. The provider is
   * found for it, unless the configuration says it.
   *
   * @throws {ProviderNotResolved}
   */
  documentMethod(connector: OAuthConnectorConfiguration): Promise<DocumentMethod>;
  /** The keys of that client, the one first that signs. */
  documentKeys(connector: OAuthConnectorConfiguration): Promise<readonly ClientKey[]>;
  /** By the name of the connector. */
  readonly found: ReadonlyMap<string, Found>;
}

interface Found {
  readonly connector: OAuthConnectorConfiguration;
  readonly metadata: RefreshingCache<ProviderMetadata>;
}

/**
 * Finds the providers of a configuration. Metadata is kept for an hour, and stays in use while it cannot be read anew.
 *
 * @param former of the previous configuration; what it found stays in use
 */
export function createProviderResolver(
  configuration: ResolverConfiguration,
  ports: ProviderResolverPorts,
  former?: ProviderDiscovery,
): ProviderDiscovery {
  const registrations = createRegistrations(configuration.vaultKeys, ports);
  const keys = createClientKeys(configuration.vaultKeys);
  const found = new Map<string, Found>();
  for (const connector of configuration.oauthConnectors.filter(isDiscovered)) {
    const known = former?.found.get(connector.name);
    const isSame = known !== undefined && locationOf(known.connector) === locationOf(connector);
    found.set(connector.name, { connector, metadata: isSame ? known.metadata : metadataCache(connector, ports) });
  }

  async function metadataOf({ name }: OAuthConnectorConfiguration, waitUntil: WaitUntil): Promise<ProviderMetadata> {
    const metadata = await found.get(name)?.metadata.get(waitUntil);
    if (metadata === undefined) throw new ProviderNotResolved(`the provider of the connector ${name} cannot be found`);
    return metadata;
  }

  const termsOf = (connector: NamedConnector, metadata: ProviderMetadata): RegistrationTerms => ({
    ...{ connector, metadata },
    redirectURL: connectCallbackURL(connector.name, configuration),
    clientName: clientName(configuration),
  });

  const documentKeys = ({ name }: OAuthConnectorConfiguration) => keys.of(connectMetadataURL(name, configuration));

  async function documentClient(
    connector: OAuthConnectorConfiguration,
    metadata?: ProviderMetadata,
  ): Promise<ClientParts> {
    const clientID = connectMetadataURL(connector.name, configuration);
    if (documentMethodOf(connector, metadata) === "none") return { clientID, clientAuthentication: "none" };
    const [privateKey] = await documentKeys(connector);
    if (privateKey === undefined) throw new ProviderNotResolved("there is no vault key to derive a client key from");
    return { clientID, clientAuthentication: "private_key_jwt", privateKey };
  }

  async function clientOf(connector: NamedConnector, metadata: ProviderMetadata): Promise<ClientParts> {
    const configured = configuredClient(connector);
    if (configured !== undefined) return configured;
    const document = connectMetadataURL(connector.name, configuration);
    // The provider has to be able to fetch it.
    const isTaken = metadata.takesClientDocuments && publicUrlFault(new URL(document)) === undefined;
    if (connector.clientMetadata || isTaken) return documentClient(connector, metadata);
    return registrations.client(termsOf(connector, metadata));
  }

  async function writtenProvider(
    connector: OAuthConnectorConfiguration,
    resource: string | undefined,
  ): Promise<ResolvedProvider> {
    const { name, endpoints, clientMetadata } = connector;
    const client = clientMetadata ? await documentClient(connector) : configuredClient(connector);
    // The rules of the configuration see to both.
    if (endpoints.kind !== "static" || client === undefined) throw new ProviderNotResolved(`${name} names no client`);
    const { authorizationURL, tokenURL, revocationURL, issuer } = endpoints;
    return {
      ...{ authorizationURL, tokenURL, sendsIssuer: issuer !== undefined },
      ...(revocationURL !== undefined && { revocationURL }),
      ...(issuer !== undefined && { issuer }),
      ...client,
      ...(resource !== undefined && { resource }),
    };
  }

  return {
    found,
    documentKeys,
    async documentMethod(connector) {
      const isSaid = connector.clientAuthentication !== undefined || !isDiscovered(connector);
      return documentMethodOf(connector, isSaid ? undefined : await metadataOf(connector, WHILE_ASKED));
    },
    async resolve(connector, { resource }, waitUntil = WHILE_ASKED) {
      if (!isDiscovered(connector)) return writtenProvider(connector, resource);
      const metadata = await metadataOf(connector, waitUntil);
      const { issuer, authorizationURL, tokenURL, revocationURL, sendsIssuer } = metadata;
      return {
        ...{ issuer, authorizationURL, tokenURL, sendsIssuer },
        ...(revocationURL !== undefined && { revocationURL }),
        ...(await clientOf(connector, metadata)),
        resource: resource ?? metadata.resource,
      };
    },
    async clientRefused(connector, clientID) {
      if (!isDiscovered(connector) || connector.clientMetadata || connector.clientID !== undefined) return;
      await registrations.forget(termsOf(connector, await metadataOf(connector, WHILE_ASKED)), clientID);
    },
  };
}

/** Nothing outlives the request: whoever needs the metadata next reads it anew, if a platform ended this. */
const WHILE_ASKED: WaitUntil = () => undefined;

type NamedConnector = OAuthConnectorConfiguration & DiscoveredConnector;

function isDiscovered(connector: OAuthConnectorConfiguration): connector is NamedConnector {
  return connector.endpoints.kind === "discover";
}

/** What decides on where a provider is and how it is reached. */
function locationOf({ endpoints, account, tls }: OAuthConnectorConfiguration): string {
  return JSON.stringify([endpoints, account, tls]);
}

type ClientParts = Pick<ResolvedProvider, "clientID" | "clientSecret" | "clientAuthentication" | "privateKey">;

/** The client that the configuration names; undefined where it is our document, or left to the provider. */
function configuredClient(connector: OAuthConnectorConfiguration): ClientParts | undefined {
  const { clientID, clientSecret, clientAuthentication = "none", privateKey } = connector;
  if (clientID === undefined) return undefined;
  return {
    ...{ clientID, clientAuthentication },
    ...(clientSecret !== undefined && { clientSecret }),
    ...(privateKey !== undefined && { privateKey }),
  };
}

/**
 * An assertion also where `none` is taken as well: a code or a refresh token that somebody finds is then useless to them, and the
 * provider need not rotate refresh tokens, as it has to for public clients (OAuth 2.1 §4.3.1).
 */
function documentMethodOf(
  { clientAuthentication }: OAuthConnectorConfiguration,
  metadata: ProviderMetadata | undefined,
): DocumentMethod {
  const takesAssertions = clientAuthentication === undefined && metadata?.takesAssertions === true;
  return takesAssertions || clientAuthentication === "private_key_jwt" ? "private_key_jwt" : "none";
}

function metadataCache(connector: NamedConnector, ports: ProviderResolverPorts): RefreshingCache<ProviderMetadata> {
  const { clock, random, logger } = ports;
  const fetch = providerFetch(connector, ports);
  const fields = { connector: connector.name, url: loggableUrl(connector.endpoints.resource) };
  return createRefreshingCache({
    ...{ clock, random },
    refreshInterval: REFRESH_INTERVAL,
    load: (signal) => fetchProviderMetadata(connector, fetch, signal),
    report: reportTo(logger, "provider of accounts", fields),
  });
}

/** Milliseconds. */
const REFRESH_INTERVAL = 3_600_000;
