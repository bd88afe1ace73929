import type { LoggerConfiguration, LogLevel } from "../logging/logger-configuration.ts";
import type { LocalizedText } from "../pages/language.ts";
import type { Branding } from "../pages/page.ts";
import type { TelemetryConfiguration } from "../telemetry/configuration.ts";
import type { AppConfiguration } from "./app-configuration.ts";
import type { EmailConfiguration } from "./email-configuration.ts";
import type { OverrideKind } from "./overrides/overrides.ts";
import type { Allowance } from "./schema/limits.ts";
import type { SignalsConfiguration } from "./signals-configuration.ts";
import type { WebhookConfiguration } from "./webhook-configuration.ts";

/** Where an instance runs. */
export type Runtime = "node" | "workers" | "lambda";

/**
 * The resolved configuration: every placeholder filled, every default applied, durations in milliseconds, URLs absolute and
 * without a trailing slash. The YAML document's own shape is in `schema/`, one file a top-level key.
 */
export interface Configuration {
  /** The document's `version`, as text; reported as `config_version`. */
  readonly version: string;
  /** Absent: it came with the instance. */
  readonly published?: PublishedConfiguration;
  /** The base URL that clients use, without trailing slash. */
  readonly publicURL: string;
  readonly http: HttpConfiguration;
  /** Entries of `tls`, by name. */
  readonly tls: Readonly<Record<string, TlsConfiguration>>;
  readonly health: HealthConfiguration;
  readonly logger: LoggerConfiguration;
  /** Absent: nothing is measured. */
  readonly telemetry?: TelemetryConfiguration;
  readonly connectors: readonly ConnectorConfiguration[];
  /** Providers that people connect accounts at, and sign in nowhere. */
  readonly oauthConnectors: readonly OAuthConnectorConfiguration[];
  /** Whose security events are believed: at most one entry for each connector. */
  readonly signals: readonly SignalsConfiguration[];
  readonly webhooks: readonly WebhookConfiguration[];
  /** 32 bytes each, base64url: what seals the tokens of people's connections. The first seals, all open. Empty: no app needs them. */
  readonly vaultKeys: readonly string[];
  readonly store: { readonly path: string };
  /** How long audit records are kept, milliseconds. Absent: for good. */
  readonly auditRetention?: number;
  /** Which requests for web apps leave a record. */
  readonly auditWebRequests: "all" | "denied" | "off";
  /** How pages look where people sign in and allow; absent: as ours do. */
  readonly branding?: Branding;
  /** How invitations are sent; absent: they are not. */
  readonly email?: EmailConfiguration;
  readonly oidcProvider?: OidcProviderConfiguration;
  readonly mcpProvider?: McpProviderConfiguration;
  /** Base64url of what seals the states that agents and browsers keep for us; absent: the secret of client ids does. */
  readonly stateSecret?: string;
  readonly console: ConsoleConfiguration;
  readonly session: SessionConfiguration;
  /** Absent: people sign out at the authorization server's endpoint and at apps alone. */
  readonly singleLogout?: SingleLogoutConfiguration;
  readonly limits: readonly LimitConfiguration[];
  /** What organizations may override for themselves; absent: nothing. */
  readonly overridable?: readonly OverrideKind[];
  readonly apps: readonly AppConfiguration[];
}

/** Which publication of the deployment a configuration is. */
export interface PublishedConfiguration {
  readonly revision: number;
  /** SHA-256 of the artifact's text, in hexadecimal digits. */
  readonly digest: string;
}

/** People's sessions in browsers. Times in milliseconds. */
export interface SessionConfiguration {
  readonly cookieName: string;
  /** The cookie reaches this host and all below it (RFC 6265 §5.1.3); absent: the host that set it alone. */
  readonly cookieDomain?: string;
  readonly maxTimeout: number;
  readonly idleTimeout: number;
}

/** Where people sign out of everything at once. */
export interface SingleLogoutConfiguration {
  /** At the origin where people sign in. */
  readonly url: string;
  /** Where people go afterwards; absent: a page of ours. */
  readonly redirectURL?: string;
}

/** How much is let through of what it is about (D169). */
export interface LimitConfiguration {
  readonly name: string;
  /** Whose callers it is about alone, where an organization has set it; absent: the operator has. */
  readonly owner?: string;
  readonly endpoints: readonly LimitEndpoint[];
  /** Each that is there has to fit, by one of its values. Tools by names or patterns, addresses also by networks. */
  readonly for: Readonly<Partial<Record<LimitPartition, readonly string[]>>>;
  /** What is counted apart; empty: everything together. */
  readonly per: readonly LimitPartition[];
  readonly rate?: Allowance & { readonly burst: number };
  readonly quota?: Allowance;
  /** Bytes of the arguments of calls, and of the bodies of requests for web apps. */
  readonly bytes?: Allowance;
  /** Calls at the same time, in each instance. */
  readonly concurrent?: number;
  /** Nothing that is left is refused, at a round trip for each call where counts are shared. */
  readonly exact: boolean;
  /** What becomes of calls while the shared count cannot be asked. */
  readonly unavailable: "deny" | "allow";
}

export type LimitEndpoint = "mcp" | "web" | "token" | "management";

export type LimitPartition = "organization" | "client" | "person" | "agent" | "app" | "tool" | "address";

export interface HttpConfiguration {
  readonly host: string;
  readonly port: number;
  readonly accessLog: { readonly disabled: boolean; readonly level: LogLevel };
  /** Name of the entry of `tls` that the listener uses; absent, and no `hosts`: plain HTTP. */
  readonly tls?: string;
  /** TLS by host name (SNI). */
  readonly hosts: readonly HttpHostConfiguration[];
  /** Addresses and networks (CIDR) whose `X-Forwarded-For` and `Forwarded` are believed. */
  readonly trustedProxies: readonly string[];
  /** How many processes serve; `auto`: one for each core (D195). */
  readonly workers: number | "auto";
}

export interface HttpHostConfiguration {
  readonly isDefault: boolean;
  /** A host name, or `*.` and one; absent on the default. */
  readonly name?: string;
  readonly tls: string;
}

/** One entry of `tls`; paths name PEM files. */
export interface TlsConfiguration {
  readonly certFile?: string;
  readonly keyFile?: string;
  readonly minVersion: "1.2" | "1.3";
  /** CA of outbound connections. */
  readonly caFile?: string;
  readonly clientAuth: TlsClientAuthentication;
  readonly clientCAFiles: readonly string[];
}

export type TlsClientAuthentication =
  | "NoClientCert"
  | "RequestClientCert"
  | "RequireAnyClientCert"
  | "VerifyClientCertIfGiven"
  | "RequireAndVerifyClientCert";

export interface HealthConfiguration {
  readonly location: string;
  readonly heartbeat: { readonly disabled: boolean; readonly level: LogLevel; readonly interval: number };
}

/** An OpenID provider that people sign in at. */
export interface ConnectorConfiguration {
  readonly name: string;
  readonly type: "oidc";
  readonly wellKnownURL: string;
  readonly clientID: string;
  readonly clientSecret?: string;
  /** Name of the entry of `tls` that connections to it use. */
  readonly tls?: string;
  /** What sign-in asks for; always with `openid`. */
  readonly scopes: readonly string[];
  readonly disablePKCE: boolean;
  /** A refresh token is asked for. */
  readonly offlineAccess: boolean;
  /** Of the refresh token: how often it renews claims, milliseconds; absent: never. */
  readonly claimsRefresh?: number;
  /** Where the provider sends people back to: the first; absent: this instance's callback. */
  readonly loginRedirectURL?: string;
  readonly logoutRedirectURL?: string;
  readonly clientAuthentication: "client_secret_basic" | "client_secret_post" | "private_key_jwt";
  /** Of `private_key_jwt`: PKCS#8 PEM or a JWK, as the configuration has it. */
  readonly privateKey?: string | Readonly<Record<string, unknown>>;
}

/** An OAuth 2.0 provider of people's accounts: `connectors[]` of type `oauth`. Times in milliseconds. */
export interface OAuthConnectorConfiguration {
  readonly name: string;
  readonly type: "oauth";
  readonly endpoints: OAuthEndpoints;
  /** Absent: the client is registered by discovery, or its metadata document is its id. */
  readonly clientID?: string;
  readonly clientSecret?: string;
  /** Absent, where the client is our metadata document: as the provider takes it. */
  readonly clientAuthentication?: "client_secret_basic" | "client_secret_post" | "private_key_jwt" | "none";
  /** Of `private_key_jwt`: PKCS#8 PEM or a JWK, as the configuration has it. Absent, where the client is our document: a key of our own. */
  readonly privateKey?: string | Readonly<Record<string, unknown>>;
  /** Our Client ID Metadata Document is the client id. */
  readonly clientMetadata: boolean;
  readonly tls?: string;
  /** Of the authorization request, beside the protocol's; absent: none. */
  readonly authorizationParameters?: Readonly<Record<string, string>>;
  readonly disablePKCE: boolean;
  readonly refresh: {
    /** How long the provider takes a spent refresh token again. */
    readonly grace: number;
    /** Of a request to its token endpoint. */
    readonly timeout: number;
  };
  /**
   * Where it says whose account a token is of; absent: nothing is asked, unless the token answer tells. `id` and `label` name members
   * of a JSON object, a dot before a member of a member.
   */
  readonly account?: { readonly url: string; readonly id: string; readonly label?: string };
}

/** Where the provider is: written down, or found from the address of an MCP server (RFC 9728, RFC 8414). */
export type OAuthEndpoints =
  | {
      readonly kind: "static";
      readonly authorizationURL: string;
      readonly tokenURL: string;
      /** RFC 7009. */
      readonly revocationURL?: string;
      /** Its authorization responses name it (RFC 9207); absent: no `iss` is expected. */
      readonly issuer?: string;
    }
  | {
      readonly kind: "discover";
      /** The MCP server's URL. */
      readonly resource: string;
      /** The one authorization server that is taken of those that it names; absent: its first. */
      readonly issuer?: string;
    };

/** The authorization server of one region. */
export interface OidcProviderConfiguration {
  readonly issuer: string;
  readonly region: string;
  /** Absolute URLs, all below the issuer's origin. */
  readonly endpoints: {
    readonly wellKnown: string;
    readonly authorize: string;
    readonly jwks: string;
    readonly token: string;
    readonly introspect: string;
    readonly revoke: string;
    readonly userinfo: string;
    readonly registration: string;
    /** Where connectors send people back to. */
    readonly callback: string;
    /** OpenID Connect RP-Initiated Logout 1.0. */
    readonly endSession: string;
  };
  readonly assertion: {
    readonly audience: "any" | "issuer" | "tokenEndpoint";
    readonly maxLifetime: number;
    readonly clockSkew: number;
  };
  readonly apiClients: {
    readonly enabled: boolean;
    readonly accessTokenLifetime: number;
    /** Keys the check in client ids (D23). Absent on the embedded default, which keeps its own in the data folder. */
    readonly idSecret?: string;
  };
  /** Public halves of `oidcProvider.jwks[]`, ready for the JWKS document. */
  readonly publicKeys: readonly Readonly<Record<string, unknown>>[];
  /** Those of them that can sign; the first does. Empty: the service makes and rotates its own. */
  readonly signingKeys: readonly ConfiguredSigningKey[];
  /** Encrypts signing keys at rest, 32 bytes or more as base64url. Absent on the embedded default, which keeps its own. */
  readonly keySecret?: string;
  readonly registration: {
    /** RFC 7591. */
    readonly dynamic: boolean;
    /** Client ID Metadata Documents. */
    readonly clientIDMetadata: boolean;
    /** Of clients that came by themselves: connectors, audiences and scopes that they may ask for. */
    readonly connectors: readonly string[];
    readonly allowedAudiences: readonly string[];
    readonly scopes: readonly string[];
    /** What their authorization requests without `scope` get. */
    readonly defaultScopes: readonly string[];
    /** Claims of their tokens by `connector.claim`. */
    readonly claimsMapping: Readonly<Record<string, string>>;
    readonly accessToken: { readonly type: "jwt" | "opaque"; readonly lifetime: number };
  };
  /** How long a chain lives at most that a person started, milliseconds. */
  readonly grantLifetime: number;
  /** What scopes mean, in the operator's words. */
  readonly scopeDescriptions: Readonly<Record<string, LocalizedText>>;
}

/** A key pair of `oidcProvider.jwks[]` whose private half is known; both as JWK, the public one with `kid` and `alg`. */
export interface ConfiguredSigningKey {
  readonly algorithm: "ES256" | "RS256";
  readonly publicKey: Readonly<Record<string, unknown>>;
  readonly privateKey: Readonly<Record<string, unknown>>;
}

export interface McpProviderConfiguration {
  readonly serverName: string;
  /** Streamable HTTP; absent: not served. */
  readonly stream?: McpStreamConfiguration;
  /** HTTP+SSE of 2024-11-05; absent: not served. */
  readonly sse?: McpSseConfiguration;
  readonly oauth: McpOauthConfiguration;
  readonly allowedOrigins: readonly string[];
  readonly allowedHosts: readonly string[];
  /** Absent: every tool is listed, however many there are. */
  readonly catalog?: CatalogConfiguration;
}

/** When agents are offered tools to search with instead of all tools. */
export interface CatalogConfiguration {
  readonly search: "auto" | "on";
  /** With `auto`, an agent who may see more tools than this searches; whose list is too long does so as well. */
  readonly threshold: number;
}

export interface McpEndpointConfiguration {
  /** Where clients connect. */
  readonly path: string;
  /** What tokens for the endpoint are meant for: its URL, or a prefix of it that every server expects (D28). */
  readonly resource: string;
}

export interface McpStreamConfiguration extends McpEndpointConfiguration {
  /** Absent: each request stands for itself. */
  readonly session?: McpSessionConfiguration;
}

export interface McpSessionConfiguration {
  /** As it is written in the configuration; compared without regard to case. */
  readonly headerName: string;
  /** A request that names no session is served by itself (D192). Absent: it is refused. */
  readonly isOptional?: true;
  readonly allowClientTermination: boolean;
  /** How long a session may idle. */
  readonly timeout: number;
}

export interface McpSseConfiguration extends McpEndpointConfiguration {
  readonly messagePath: string;
  /** What stands in front of `messagePath` in the `endpoint` event; absent: clients complete the path by themselves. */
  readonly baseURL?: string;
  /** Between two comments in an idle stream; absent: there are none. */
  readonly keepAlive?: number;
  /** How long its sessions outlive a stream that was cut off. */
  readonly timeout: number;
}

export interface McpOauthConfiguration {
  readonly enabled: boolean;
  /** Path of the protected resource metadata (RFC 9728). */
  readonly metadataPath: string;
  readonly servers: readonly McpAuthorizationServer[];
}

export interface McpAuthorizationServer {
  readonly wellKnownEndpoint: string;
  readonly refreshInterval: number;
  readonly expectedAudiences: readonly string[];
  readonly method: "jwt" | "introspection" | "auto";
  readonly clockSkew: number;
  readonly introspection?: {
    readonly clientID: string;
    readonly clientSecret: string;
    readonly timeout: number;
    readonly maxRetries: number;
    readonly tokenPrefix?: string;
  };
}

export interface ConsoleConfiguration {
  readonly enabled: boolean;
  /** Where the Console stands, without trailing slash: `/console/` is below. */
  readonly baseURL: string;
  /** Whether people may sign in with passkeys. */
  readonly passkeys: boolean;
  /** Names of the connectors that people may sign in with. */
  readonly connectors: readonly string[];
  /** Consoles of other regions, without trailing slash. */
  readonly regions: readonly { readonly region: string; readonly url: string }[];
  /** Of a trace in a viewer, with `{traceId}` behind its host. */
  readonly traceURL?: string;
  /** Whether people may try tools. */
  readonly playground: boolean;
  /** Of a copy of the documentation, without trailing slash. */
  readonly documentationURL?: string;
  /** Whoever holds it may create the first organization and owner, once. */
  readonly setupToken?: string;
  /** The e-mail address, in lower case, of an owner who may sign in again with a new setup token. */
  readonly recoverOwner?: string;
}

/** One immutable state of the configuration (D33). `revision` grows with every replacement in this process. */
export interface ConfigurationSnapshot {
  readonly revision: number;
  readonly configuration: Configuration;
}
