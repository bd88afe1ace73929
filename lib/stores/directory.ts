import type { JsonObject } from "../kernel/json.ts";
import type { AuditEvent } from "./audit-log.ts";
import { once, type Port, read, write } from "./operations.ts";

export type Role = "owner" | "member";

export interface OrganizationRecord {
  /** `org_<uuid>`. */
  readonly organizationId: string;
  readonly name: string;
  readonly createdAt: number;
  /** Grows with each change; 1 at first, and on records of releases before there were changes. */
  readonly revision: number;
}

export interface PersonRecord {
  /** `user_<uuid>`; never equal to a client id. */
  readonly userId: string;
  /** Lower-cased. */
  readonly email: string;
  readonly createdAt: number;
}

export interface MembershipRecord {
  readonly organizationId: string;
  readonly userId: string;
  readonly role: Role;
  readonly createdAt: number;
}

/** A one-time sign-in link: only the hash of its secret is kept. */
export interface SignInLinkRecord {
  readonly secretHash: string;
  readonly userId: string;
  readonly expiresAt: number;
}

/** A person's browser session: only the hash of the cookie's value is kept. */
export interface BrowserSessionRecord {
  readonly sessionHash: string;
  readonly userId: string;
  readonly createdAt: number;
  /** Written when the stored value is older than idle timeout / 60. */
  readonly lastSeenAt: number;
  /** Absolute end. */
  readonly expiresAt: number;
  /** Present when the person signed in through a connector, to allow an application something. */
  readonly signIn?: ConnectorSignIn;
  /** Later ones in the same browser, each at another connector, for web apps that want it; absent: none. A release before leaves them out. */
  readonly further?: readonly ConnectorSignIn[];
  /** By which the claims of its sign-ins are kept new; absent: they stay as they were. */
  readonly renewals?: ClaimsRenewals;
  /** Grows with each change of sign-ins and renewals; absent: 0. */
  readonly revision?: number;
  /** How the person signed in to the Console; absent on sessions of the authorization server. */
  readonly method?: SignInMethod;
  /** `User-Agent` of the request that began it, cut to 256 characters. */
  readonly userAgent?: string;
}

/** How a person comes into the Console. */
export type SignInMethod = "link" | "setup" | "passkey" | "connector" | "invitation";

/** What a connector's ID token told of a person (OpenID Connect Core 1.0 §2), and when they proved it there. */
export interface ConnectorSignIn {
  /** Name of the connector. */
  readonly connector: string;
  readonly issuer: string;
  /** The connector's `sub`. */
  readonly subject: string;
  /** Claims of ID token and userinfo, without those that are about the token itself. */
  readonly claims: JsonObject;
  /** Milliseconds since the epoch; absent where the connector did not tell: it may have known the person for long. */
  readonly authenticatedAt?: number;
  readonly acr?: string;
  readonly amr?: readonly string[];
  /** The connector's own name for the session, for logout (`sid`). */
  readonly sessionId?: string;
}

/** How the claims of a session's sign-ins are renewed. */
export interface ClaimsRenewals {
  /** By connector. */
  readonly tokens: Readonly<Record<string, ClaimsRenewal>>;
  /** One request at a time uses them, until then at most: a refresh token that is used twice may end its grant (RFC 9700 §4.14.2). */
  readonly leasedUntil?: number;
}

/** A connector's refresh token, and when it is to be used. Times are milliseconds since the epoch. */
export interface ClaimsRenewal {
  /** The token, encrypted. */
  readonly sealed: string;
  /** When the claims become old. */
  readonly renewAt: number;
  /** The connector did not answer; nobody asks it before. */
  readonly retryAt?: number;
}

/** What a session has after its claims were renewed. */
export interface RenewedSignIns {
  readonly renewals: ClaimsRenewals;
  /** All of them in their order; absent: they stay. */
  readonly signIns?: readonly ConnectorSignIn[];
}

export interface FirstOwner {
  readonly organization: OrganizationRecord;
  readonly person: PersonRecord;
}

/** Organizations and the people in them. Linearizable. An event becomes durable together with its change. */
export const DIRECTORY = {
  /**
   * Creates the instance's first organization, without an owner yet, unless any organization exists: then resolves to
   * false. For operators of the embedded store.
   */
  createFirstOrganization: once<(organization: OrganizationRecord, event: AuditEvent) => boolean>(),
  /**
   * Creates organization, person and ownership in one step, unless any owner exists: then resolves to false. An
   * organization of this id that has no owner yet is taken over: it keeps its `createdAt` and gets the given name.
   */
  createFirstOwner: once<(first: FirstOwner, event: AuditEvent) => boolean>(),
  /** The instance's oldest organization (D32). */
  firstOrganization: read<() => OrganizationRecord | undefined>(),
  /** Undefined also for one that was deleted. */
  getOrganization: read<(organizationId: string) => OrganizationRecord | undefined>(),
  getPerson: read<(userId: string) => PersonRecord | undefined>(),
  findPersonByEmail: read<(email: string) => PersonRecord | undefined>(),
  /** Oldest first. */
  memberships: read<(userId: string) => readonly MembershipRecord[]>(),

  /** Without an event: gives back a link that was consumed in vain. */
  createSignInLink: once<(link: SignInLinkRecord, event?: AuditEvent) => void>(),
  /** Consumes the link: the record for exactly one caller, undefined for every other and after its expiry. */
  consumeSignInLink: once<(secretHash: string, now: number) => SignInLinkRecord | undefined>(),

  createBrowserSession: once<(session: BrowserSessionRecord) => void>(),
  getBrowserSession: read<(sessionHash: string) => BrowserSessionRecord | undefined>(),
  touchBrowserSession: write<(sessionHash: string, lastSeenAt: number) => void>(),
  /** Changes a session that is at this revision, which grows by one. False, and nothing is written, for every other, and for none. */
  renewSignIns: once<(sessionHash: string, revision: number, renewed: RenewedSignIns) => boolean>(),
  deleteBrowserSession: write<(sessionHash: string) => void>(),
  /** Those of a person that have not expired at `now`, newest first, 100 at most. */
  browserSessions: read<(userId: string, now: number) => readonly BrowserSessionRecord[]>(),
};

export type Directory = Port<typeof DIRECTORY>;
