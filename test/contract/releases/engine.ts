import type { ApiClientRecord } from "../../../lib/stores/api-clients.ts";
import type { AuditEvent } from "../../../lib/stores/audit-log.ts";
import type {
  BrowserSessionRecord,
  OrganizationRecord,
  PersonRecord,
  SignInLinkRecord,
} from "../../../lib/stores/directory.ts";
import type { Stores } from "../../../lib/stores/stores.ts";
import type { TokenIssue, TokenRecord } from "../../../lib/stores/tokens.ts";

/** An engine with data that this release and the one before it share. */
export interface ReleasesEngine {
  readonly name: string;
  open(): Promise<Releases>;
}

export interface Releases {
  /** The release before this one, on the data. The first one there made the tables. */
  previous(): Promise<PreviousRelease>;
  /** This release, on the same data. */
  current(): Promise<Stores>;
  close(): Promise<void>;
}

/** An API client as the release before this one knew it. */
export type PreviousClient = Omit<ApiClientRecord, "grantRevision">;

/** The first owner, with the organization as the release before this one knew it. */
export interface PreviousOwner {
  readonly organization: Omit<OrganizationRecord, "revision">;
  readonly person: PersonRecord;
}

/** What the release before this one wrote and read, statement by statement. Replaced when a new one is released. */
export interface PreviousRelease {
  createClient(client: PreviousClient): Promise<void>;
  client(clientId: string): Promise<PreviousClient | undefined>;
  rename(clientId: string, name: string): Promise<void>;
  revokeKeyPair(clientId: string, keyPairId: string): Promise<void>;
  deleteClient(clientId: string): Promise<void>;
  /** False when the client was deleted, the key revoked or the assertion used. */
  issue(request: TokenIssue): Promise<boolean>;
  introspect(reference: TokenIssue["reference"], now: number): Promise<TokenRecord | undefined>;
  consume(key: string, expiresAt: number): Promise<boolean>;
  createOwner(first: PreviousOwner): Promise<void>;
  person(userId: string): Promise<PersonRecord | undefined>;
  createLink(link: SignInLinkRecord): Promise<void>;
  consumeLink(secretHash: string, now: number): Promise<boolean>;
  createSession(session: BrowserSessionRecord): Promise<void>;
  session(sessionHash: string): Promise<BrowserSessionRecord | undefined>;
  begin(event: AuditEvent): Promise<void>;
  event(event: AuditEvent): Promise<AuditEvent | undefined>;
}

/** Namespace of the values that both releases consume. */
export const NAMESPACE = "test";
