import type { Catalog } from "../openapi/catalog.ts";
import type { ArgumentRule } from "../tool-rules/argument-rule.ts";
import type { ResultRule } from "../tool-rules/result-rule.ts";
import type { UpstreamHeader } from "./header-template.ts";
import type { PolicyConfiguration } from "./policy-engines.ts";
import type { UserTokenConfiguration } from "./user-token-configuration.ts";
import type { WebAppConfiguration } from "./web-app-configuration.ts";

export type AppConfiguration = OidcAppConfiguration | McpAppConfiguration | WebAppConfiguration;

/** An app whose tools agents call. */
export type McpAppConfiguration = McpBridgeAppConfiguration | McpProxyAppConfiguration;

/** A client of our provider that the configuration registers: an agent, a gateway, or a resource server that introspects. */
export interface OidcAppConfiguration {
  readonly type: "oidc";
  readonly name: string;
  readonly organization?: string;
  readonly clientID: string;
  /** It has no credentials: neither secrets nor keys. */
  readonly isPublic: boolean;
  readonly secrets: readonly string[];
  /** Public keys (RFC 7517) that its assertions are signed with. */
  readonly jwks: readonly Readonly<Record<string, unknown>>[];
  readonly redirectURLs: readonly string[];
  /** Names of connectors that people sign in at for it. */
  readonly idps: readonly string[];
  /** Those of `grantTypes` that are served. */
  readonly grantTypes: readonly OidcAppGrantType[];
  /** It gets no tokens: it asks for decisions that this version does not take. */
  readonly isUnserved?: boolean;
  readonly accessToken: { readonly type: "jwt" | "opaque"; readonly lifetime: number };
  readonly allowedAudiences: readonly string[];
  /** Scopes of `scopes` and `customScopes` together. */
  readonly scopes: readonly string[];
  /** What an authorization request without `scope` gets. */
  readonly defaultScopes: readonly string[];
  /** Claims of its tokens by `connector.claim`. */
  readonly claimsMapping: Readonly<Record<string, string>>;
  readonly tokenExchange: {
    readonly impersonation: boolean;
    readonly maxLifetime?: number;
    readonly subjectAudiences?: readonly string[];
    readonly subjectConnectors: readonly string[];
  };
  readonly consent: "always" | "once" | "never";
  /** Audiences whose tokens this client may introspect; absent: all of this issuer. */
  readonly resources?: readonly string[];
}

export type OidcAppGrantType =
  | "authorization_code"
  | "refresh_token"
  | "client_credentials"
  | "urn:ietf:params:oauth:grant-type:token-exchange";

/** What apps of both kinds have. */
interface McpAppBase {
  readonly name: string;
  /** Owner of the app's audit records; absent: the instance's first organization (D32). */
  readonly organization?: string;
  /** Every organization's agents see it. */
  readonly isShared?: true;
  /** Whether people must belong to the organization; absent: as `membersByDefault` says. */
  readonly members?: "required" | "any";
  /** How long a call may take, milliseconds. */
  readonly timeout: number;
  /** Name of the entry of `tls` that connections to the upstream use. */
  readonly tls?: string;
  /** Headers of each call, each name once; absent: none. */
  readonly headers?: readonly UpstreamHeader[];
  /** Inbound scopes, first match wins. */
  readonly inboundTools: readonly { readonly name: string; readonly scopes: readonly string[] }[];
  /** Absent: tools are what the upstream says, from one moment to the next. */
  readonly pins?: PinsConfiguration;
  /** Which arguments agents may send, what they get back, and who approves calls; first match wins; absent: all, and nobody. */
  readonly rules?: readonly ToolRulesConfiguration[];
  /** Each has to allow a call, in this order; absent: every authenticated agent may call the tools. */
  readonly policies?: readonly PolicyConfiguration[];
  /** Tools that need a stronger or more recent sign-in (RFC 9470); first match wins. */
  readonly stepUp: readonly StepUpConfiguration[];
  readonly outbound: OutboundConfiguration;
}

export interface McpBridgeAppConfiguration extends McpAppBase {
  readonly type: "mcpBridge";
  /** Compiled from the app's OpenAPI document; names already carry the namespace. */
  readonly catalog: Catalog;
  readonly baseURL: string;
  /** Credentials by the name of the security scheme, each of its scheme's shape; absent: none. */
  readonly auth?: Readonly<Record<string, UpstreamCredential>>;
}

export interface McpProxyAppConfiguration extends McpAppBase {
  readonly type: "mcpProxy";
  /** In front of the names of tools and prompts; empty: they and resource URIs stay as they are. */
  readonly namespace: string;
  readonly transport: "stream" | "sse";
  /** Of the MCP server. */
  readonly url: string;
  /** Absent: the runtime's own way. */
  readonly connection?: ConnectionConfiguration;
  /** Requests that run at the same time; others wait. */
  readonly concurrency: number;
  /** Agents without a session share upstream sessions, each principal its own. */
  readonly shareable: boolean;
  /** Requests and notifications beyond MCP's own that are forwarded; absent: none. */
  readonly methods?: readonly string[];
  /** URIs and templates of resources beyond those that the server lists; absent: none. */
  readonly resources?: readonly string[];
  /** Names or patterns of the server's tools that are offered; absent: all. */
  readonly include?: readonly string[];
  /** Those that are not, also where `include` names them. */
  readonly exclude?: readonly string[];
}

/** How connections to an upstream are made and kept. Durations in milliseconds; what is absent is the runtime's own. */
export interface ConnectionConfiguration {
  readonly dialTimeout?: number;
  readonly keepAliveInterval?: number;
  readonly maxIdleConns?: number;
  readonly maxIdleConnsPerHost?: number;
}

/** An API key or a bearer token, or those of HTTP Basic. */
export type UpstreamCredential = { readonly value: string } | { readonly username: string; readonly password: string };

/** Tools are as they were approved. What is new or has changed is held until an owner approves it (D228). */
export interface PinsConfiguration {
  /** Whether the tools that are listed first are approved. */
  readonly first: "trust" | "hold";
  /** How old the list of an MCP server may be that a call is decided by, milliseconds. */
  readonly maxAge?: number;
}

export interface ToolRulesConfiguration {
  /** Names or patterns, as in `inboundTools`. */
  readonly tools: readonly string[];
  /** Absent: they are the agent's. */
  readonly arguments?: readonly ArgumentRule[];
  /** Absent: agents get results as they are. */
  readonly result?: ResultRule;
  /** Absent: nobody has to approve calls. */
  readonly approval?: ApprovalConfiguration;
}

/** Who has to approve calls (D230). */
export interface ApprovalConfiguration {
  /** `self`, `owners`, or a CEL expression over the approver. */
  readonly by: string;
  /** CEL expression over the policy input; absent: always. */
  readonly when?: string;
  /** The person behind the call cannot approve it. */
  readonly separate: boolean;
  /** Milliseconds until somebody has decided, and then until the call is made. */
  readonly expires: number;
}

export interface StepUpConfiguration {
  /** Names or patterns, as in `inboundTools`. */
  readonly tools: readonly string[];
  /** Any of them; absent: whichever. */
  readonly acr?: readonly string[];
  /** How long ago the sign-in may be, milliseconds; absent: however long. */
  readonly maxAge?: number;
}

/** What an upstream's calls carry. */
export type OutboundConfiguration =
  | { readonly type: "unprotected" }
  | TokenExchangeConfiguration
  | UserTokenConfiguration;

/** A token for each call, exchanged for the caller's (RFC 8693). */
export interface TokenExchangeConfiguration {
  readonly type: "tokenExchange";
  readonly mode: "delegation" | "impersonation";
  /** Name of the connector of the server that issues the token, or `oidcProvider` for this very instance. */
  readonly idp: string;
  /** With `oidcProvider`: the `oidc` app that this gateway is there. */
  readonly clientID?: string;
  readonly audience: string;
  /** First match wins; no match: no scopes, 60 s. `ttl` in milliseconds. */
  readonly tools: readonly { readonly name: string; readonly ttl: number; readonly scopes: readonly string[] }[];
}

export const TOKEN_EXCHANGE = "urn:ietf:params:oauth:grant-type:token-exchange";

const SERVED: readonly unknown[] = [
  "authorization_code",
  "refresh_token",
  "client_credentials",
  TOKEN_EXCHANGE,
] satisfies readonly OidcAppGrantType[];

/** Whether the token endpoint serves a grant type to `oidc` apps. */
export function isServedGrantType(grantType: unknown): grantType is OidcAppGrantType {
  return SERVED.includes(grantType);
}

/** Scopes of OpenID Connect Core §5.4 and §11 that mean something here; clients may ask for them unless told otherwise. */
export const OPENID_SCOPES: readonly string[] = ["openid", "profile", "email", "offline_access"];
