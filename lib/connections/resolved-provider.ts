import type { OAuthConnectorConfiguration } from "../config/configuration.ts";
import type { UserTokenConfiguration } from "../config/user-token-configuration.ts";
import type { WaitUntil } from "../kernel/refreshing-cache.ts";

/** Where a provider of people's accounts is, and who we are there: written in the configuration, or discovered. */
export interface ResolvedProvider {
  readonly authorizationURL: string;
  readonly tokenURL: string;
  /** RFC 7009; absent: tokens cannot be revoked. */
  readonly revocationURL?: string;
  /** Absent: the provider is not known by an issuer, and no answer of it names one. */
  readonly issuer?: string;
  /** Its authorization responses carry `iss` (RFC 9207 §3): one without it is refused. */
  readonly sendsIssuer: boolean;
  readonly clientID: string;
  readonly clientSecret?: string;
  readonly clientAuthentication: NonNullable<OAuthConnectorConfiguration["clientAuthentication"]>;
  /** Of `private_key_jwt`, as the configuration has it, or a key of our own. */
  readonly privateKey?: OAuthConnectorConfiguration["privateKey"];
  /** What tokens are for (RFC 8707): to be named in the authorization request and at the token endpoint. */
  readonly resource?: string;
}

/** Finds providers, and registers this instance as a client of those that take registrations. One for each configuration. */
export interface ProviderResolver {
  /**
   * Resolves at once where the configuration says it all.
   *
   * @param outbound its `resource` comes before that which was discovered
   * @param waitUntil keeps work alive that renews what is known while the known serves
   * @throws {ProviderNotResolved}
   */
  resolve(
    connector: OAuthConnectorConfiguration,
    outbound: Pick<UserTokenConfiguration, "resource">,
    waitUntil?: WaitUntil,
  ): Promise<ResolvedProvider>;
  /**
   * The provider answered `invalid_client` (RFC 6749 §5.2) for a client that it registered: the next call registers another one.
   * Nothing happens where the configuration names the client.
   */
  clientRefused(connector: OAuthConnectorConfiguration, clientID: string): Promise<void>;
}

/** A provider could not be found. The message is for the log and names addresses, and nothing else that was fetched. */
export class ProviderNotResolved extends Error {
  constructor(message: string, options: { readonly cause?: unknown } = {}) {
    super(message, options);
    this.name = "ProviderNotResolved";
  }
}
