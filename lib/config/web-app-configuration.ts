import type { Location } from "../reverse-proxy/locations.ts";
import type { RoutePattern } from "../reverse-proxy/routes.ts";
import type { UpstreamHeader } from "./header-template.ts";
import type { PolicyConfiguration } from "./policy-engines.ts";
import type { UserTokenConfiguration } from "./user-token-configuration.ts";

/** `apps[] type: proxy`: a web application or HTTP API behind the identity-aware reverse proxy. */
export interface WebAppConfiguration {
  readonly type: "proxy";
  readonly name: string;
  /** Owner of the app's audit records; absent: the instance's first organization (D32). */
  readonly organization?: string;
  /** People and agents of every organization may use it. */
  readonly isShared?: true;
  /** Whether people must belong to the organization; absent: as `membersByDefault` says. */
  readonly members?: "required" | "any";
  readonly routes: readonly RoutePattern[];
  /** Without trailing slash; its path stands before the request's. */
  readonly upstream: string;
  /** What is taken from the front of the path; empty: nothing. Without trailing slash. */
  readonly stripPrefix: string;
  /** The upstream sees the client's `Host`. */
  readonly preserveHost: boolean;
  /** Name of the entry of `tls` that connections to the upstream use. */
  readonly tls?: string;
  /** Until the first byte of an answer, milliseconds. */
  readonly timeout: number;
  /** Bytes. */
  readonly maxBody: number;
  /** Headers of each request, each name once; those without their claim are left out. */
  readonly headers: readonly UpstreamHeader[];
  /** The client's `Authorization` goes to the upstream. */
  readonly forwardAuthorization: boolean;
  /** Requests of people carry the token of their own account at a provider; absent: they do not. */
  readonly outbound?: UserTokenConfiguration;
  /** In the order of the file. */
  readonly policies: readonly WebPolicyConfiguration[];
  /** A signed statement of who asks, with each request; absent: none. `lifetime` in milliseconds. */
  readonly assertion?: {
    readonly header: string;
    readonly audience: string;
    readonly claims: readonly string[];
    readonly lifetime: number;
  };
  /** Where pages go after 403. */
  readonly unauthorizedPage?: string;
  /** Where pages go after 502 and 504. */
  readonly errorPage?: string;
  /** Origins whose preflights are answered here, and whose scripts may read our own answers. */
  readonly allowedOrigins: readonly string[];
  /** A canonical path: whoever asks for it is signed out, then the request goes on. */
  readonly logoutPath?: string;
}

/** Who may ask for the paths of one location. */
export interface WebPolicyConfiguration {
  readonly location: Location;
  /** In upper case; absent: every method. */
  readonly methods?: readonly string[];
  /** Anybody may, also whoever is not signed in. */
  readonly allowUnauthenticated: boolean;
  /** Names of the connectors at which people sign in; empty: people do not. */
  readonly idps: readonly string[];
  /** Programs with a bearer token; absent: none. */
  readonly bearer?: { readonly audiences: readonly string[]; readonly scopes: readonly string[] };
  /** Each has to allow a request; empty: everybody who is let in so far. */
  readonly policies: readonly PolicyConfiguration[];
}
