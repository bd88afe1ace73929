import type { JsonObject } from "../../kernel/json.ts";

/** The origin of a client. */
export type OAuthClientKind = "app" | "metadata_document" | "registered";

/**
 * A client of the authorization server that acts for people or exchanges tokens: an `oidc` app of the configuration, one
 * that its metadata document describes, or one that registered itself. API clients are apart (`lib/api-clients/`).
 */
export interface OAuthClient {
  readonly kind: OAuthClientKind;
  readonly clientId: string;
  /** The name that people see. */
  readonly name: string;
  /** Shown beside a name that the client chose itself (`client_uri`). */
  readonly uri?: string;
  /** Name or id of the organization of `apps[].organization`; absent: the instance's first (D32). */
  readonly organization?: string;
  readonly authentication: ClientAuthenticationMaterial;
  readonly redirectURLs: readonly string[];
  readonly grantTypes: readonly ClientGrantType[];
  /** Scopes it may be granted; those of OpenID Connect among them where it may have them. */
  readonly scopes: readonly string[];
  /** Those of them that an authorization request without `scope` gets. */
  readonly defaultScopes: readonly string[];
  /** The audiences that its access tokens may have. */
  readonly audiences: readonly string[];
  /** Connectors that people sign in at for it. */
  readonly connectors: readonly string[];
  readonly consent: "always" | "once" | "never";
  readonly accessToken: { readonly type: "jwt" | "opaque"; readonly lifetime: number };
  /** Claims of its tokens by the attributes they come from: `connector.claim`. */
  readonly claimsMapping: Readonly<Record<string, string>>;
  readonly tokenExchange: {
    readonly impersonation: boolean;
    /** Milliseconds. */
    readonly maxLifetime?: number;
    /** The audiences that subject tokens may have; absent: any audience of this issuer. */
    readonly subjectAudiences?: readonly string[];
    /** Connectors whose tokens it may use as subject tokens. */
    readonly subjectConnectors: readonly string[];
  };
  /** Audiences whose tokens it may introspect; absent: all for apps. Dynamic clients introspect only their own tokens. */
  readonly introspects?: readonly string[];
}

export type ClientGrantType =
  | "authorization_code"
  | "refresh_token"
  | "client_credentials"
  | "urn:ietf:params:oauth:grant-type:token-exchange";

/** The credentials of a client. A public client has none: PKCE binds its codes. */
export type ClientAuthenticationMaterial =
  | { readonly method: "none" }
  /** Any of them, in the form the configuration or the registration has it. */
  | {
      readonly method: "secret";
      readonly secrets: readonly string[];
      /** SHA-256, base64url. */
      readonly secretHashes: readonly string[];
    }
  /** Public keys (RFC 7517), or where they are. */
  | { readonly method: "private_key_jwt"; readonly keys?: readonly JsonObject[]; readonly keysURL?: string };
