import { DurableObject } from "cloudflare:workers";
import type { AuditEvent } from "../../lib/stores/audit-log.ts";
import type {
  BrowserSessionRecord,
  FirstOwner,
  MembershipRecord,
  OrganizationRecord,
  PersonRecord,
  SignInLinkRecord,
} from "../../lib/stores/directory.ts";
import {
  browserSessionsOf,
  consumeSignInLink,
  createBrowserSession,
  createSignInLink,
  deleteBrowserSession,
  getBrowserSession,
  touchBrowserSession,
} from "../../lib/stores/sql/browser-sessions.ts";
import {
  createFirstOrganization,
  createFirstOwner,
  firstOrganization,
  getOrganization,
} from "../../lib/stores/sql/directory.ts";
import { findPersonByEmail, getPerson, membershipsOf } from "../../lib/stores/sql/people.ts";
import { announce, type ObjectState } from "./announce.ts";
import type { StateBindings } from "./env.ts";
import { cleaningTime } from "./expiry.ts";
import { wakeBy } from "./wake.ts";

/** The registry's organizations, people, sign-in links and browser sessions. */
export abstract class RegistryDirectory extends DurableObject<StateBindings> {
  /** Own properties are no part of what other objects can call. */
  protected abstract readonly state: ObjectState;

  createFirstOrganization(organization: OrganizationRecord, event: AuditEvent): Promise<boolean> {
    return announce(this.state, undefined, (consequences) =>
      createFirstOrganization(this.state.db, consequences, organization, event),
    );
  }

  createFirstOwner(first: FirstOwner, event: AuditEvent): Promise<boolean> {
    return announce(this.state, undefined, (consequences) =>
      createFirstOwner(this.state.db, consequences, first, event),
    );
  }

  firstOrganization(): OrganizationRecord | undefined {
    return firstOrganization(this.state.db);
  }

  getOrganization(organizationId: string): OrganizationRecord | undefined {
    return getOrganization(this.state.db, organizationId);
  }

  getPerson(userId: string): PersonRecord | undefined {
    return getPerson(this.state.db, userId);
  }

  findPersonByEmail(email: string): PersonRecord | undefined {
    return findPersonByEmail(this.state.db, email);
  }

  memberships(userId: string): readonly MembershipRecord[] {
    return membershipsOf(this.state.db, userId);
  }

  /** The alarm that this sets for the event also finds when the link expires. */
  createSignInLink(link: SignInLinkRecord, event: AuditEvent | undefined): Promise<void> {
    return announce(this.state, undefined, (consequences) =>
      createSignInLink(this.state.db, consequences, link, event),
    );
  }

  consumeSignInLink(secretHash: string, now: number): SignInLinkRecord | undefined {
    return consumeSignInLink(this.state.db, secretHash, now);
  }

  async createBrowserSession(session: BrowserSessionRecord): Promise<void> {
    await wakeBy(this.state.storage, cleaningTime(session.expiresAt, Date.now()));
    createBrowserSession(this.state.db, session);
  }

  getBrowserSession(sessionHash: string): BrowserSessionRecord | undefined {
    return getBrowserSession(this.state.db, sessionHash);
  }

  touchBrowserSession(sessionHash: string, lastSeenAt: number): void {
    touchBrowserSession(this.state.db, sessionHash, lastSeenAt);
  }

  deleteBrowserSession(sessionHash: string): void {
    deleteBrowserSession(this.state.db, sessionHash);
  }

  browserSessions(userId: string, now: number): readonly BrowserSessionRecord[] {
    return browserSessionsOf(this.state.db, userId, now);
  }
}
