import { beforeEach, describe, expect, test } from "vitest";
import { uuid } from "../../lib/kernel/ids.ts";
import { webCryptoRandom as random } from "../../lib/kernel/random.ts";
import type { AuditEvent } from "../../lib/stores/audit-log.ts";
import type { BrowserSessionRecord, ConnectorSignIn, FirstOwner } from "../../lib/stores/directory.ts";
import type { Stores } from "../../lib/stores/stores.ts";
import { eventually } from "../support/eventually.ts";
import { newUserId } from "./credential-records.ts";
import { type OpenStores, openedStores, type StoreEngine } from "./engine.ts";
import { auditEvent, MINUTE, newOrganizationId } from "./records.ts";

/** What every implementation of `Directory` does. */
export function directoryContract(engine: StoreEngine): void {
  describe(`first owner on ${engine.name}`, () => {
    let open: OpenStores;
    let stores: Stores;
    beforeEach(async () => {
      open = await engine.open();
      stores = open.stores;
      return () => open.close();
    });

    test("an empty directory has no organization and nobody in it", async () => {
      expect(await stores.directory.firstOrganization()).toBeUndefined();
      expect(await stores.directory.getOrganization(newOrganizationId())).toBeUndefined();
      expect(await stores.directory.getPerson(newUserId())).toBeUndefined();
      expect(await stores.directory.findPersonByEmail("nobody@example.com")).toBeUndefined();
      expect(await stores.directory.memberships(newUserId())).toEqual([]);
    });

    test("of 50 parallel first owners, of two processes, one is created, with organization, person and ownership", async () => {
      const processes = [stores, await open.another()];
      const firsts = Array.from({ length: 50 }, (_, i) => firstOwner(`owner-${i}@example.com`));
      const results = await Promise.all(
        firsts.map((first, i) => processes[i % 2]?.directory.createFirstOwner(first, ownerAdded(first))),
      );
      expect(results.filter(Boolean)).toHaveLength(1);
      const winner = firsts[results.indexOf(true)];
      if (winner === undefined) throw new Error("nobody became owner");
      const { organization, person } = winner;
      expect(await stores.directory.firstOrganization()).toEqual(organization);
      expect(await stores.directory.getOrganization(organization.organizationId)).toEqual(organization);
      expect(await stores.directory.getPerson(person.userId)).toEqual(person);
      expect(await stores.directory.findPersonByEmail(person.email)).toEqual(person);
      expect(await stores.directory.memberships(person.userId)).toEqual([
        {
          organizationId: organization.organizationId,
          userId: person.userId,
          role: "owner",
          createdAt: person.createdAt,
        },
      ]);
      const losers = firsts.filter((first) => first !== winner);
      const found = await Promise.all(losers.map((loser) => stores.directory.findPersonByEmail(loser.person.email)));
      expect(found.filter((one) => one !== undefined)).toEqual([]);
      const audit = await eventually(
        () => stores.auditLog.query({ organizationId: organization.organizationId }, { limit: 10 }),
        ({ items }) => items.length > 0,
      );
      expect(audit.items.map((event) => event.type)).toEqual(["member.added"]);
    });

    test("an operator's first organization is created once and can be taken over by its first owner", async () => {
      const { organization, person } = firstOwner("late@example.com");
      const made = organizationCreated(organization.organizationId);
      expect(await stores.directory.createFirstOrganization(organization, made)).toBe(true);
      const another = { ...organization, organizationId: newOrganizationId() };
      const inVain = organizationCreated(another.organizationId);
      expect(await stores.directory.createFirstOrganization(another, inVain)).toBe(false);
      expect(await recorded(stores, made)).toEqual([made]);
      expect((await stores.auditLog.query({ organizationId: another.organizationId }, { limit: 10 })).items).toEqual(
        [],
      );
      expect(await stores.directory.firstOrganization()).toEqual(organization);

      const takeover = { organization: { ...organization, name: "Renamed", createdAt: Date.now() + MINUTE }, person };
      expect(await stores.directory.createFirstOwner(takeover, ownerAdded(takeover))).toBe(true);
      expect(await stores.directory.firstOrganization()).toEqual({ ...organization, name: "Renamed" });
      expect(await stores.directory.memberships(person.userId)).toHaveLength(1);
    });

    test("with an owner in place no first organization is created", async () => {
      const first = firstOwner("owner@example.com");
      await stores.directory.createFirstOwner(first, ownerAdded(first));
      const { organization } = firstOwner("other@example.com");
      const event = organizationCreated(organization.organizationId);
      expect(await stores.directory.createFirstOrganization(organization, event)).toBe(false);
      stores = await open.reopen();
      expect(await stores.directory.createFirstOwner(firstOwner("third@example.com"), auditEvent())).toBe(false);
      expect(await stores.directory.firstOrganization()).toEqual(first.organization);
    });
  });

  describe(`sign-in on ${engine.name}`, () => {
    const opened = openedStores(engine);

    test("of 50 parallel uses of a sign-in link, by two processes, one gets it", async () => {
      const processes = [opened.stores, await opened.another()];
      const link = newLink();
      await opened.stores.directory.createSignInLink(link);
      const now = Date.now();
      const results = await Promise.all(
        Array.from({ length: 50 }, (_, i) => processes[i % 2]?.directory.consumeSignInLink(link.secretHash, now)),
      );
      expect(results.filter((result) => result !== undefined)).toEqual([link]);
      expect(await opened.stores.directory.consumeSignInLink(link.secretHash, now)).toBeUndefined();
    });

    test("a sign-in link works until the millisecond before its expiry", async () => {
      const [late, inTime] = [newLink(), newLink()];
      await opened.stores.directory.createSignInLink(late);
      await opened.stores.directory.createSignInLink(inTime);
      expect(await opened.stores.directory.consumeSignInLink(late.secretHash, late.expiresAt)).toBeUndefined();
      expect(await opened.stores.directory.consumeSignInLink(inTime.secretHash, inTime.expiresAt - 1)).toEqual(inTime);
    });

    test("the event of a new sign-in link is recorded, and giving a used link back records none", async () => {
      const link = newLink();
      const event = auditEvent({
        type: "sign_in_link.created",
        organizationId: newOrganizationId(),
        user: link.userId,
      });
      await opened.stores.directory.createSignInLink(link, event);
      expect(await recorded(opened.stores, event)).toEqual([event]);
      expect(await opened.stores.directory.consumeSignInLink(link.secretHash, Date.now())).toEqual(link);
      await opened.stores.directory.createSignInLink(link);
      expect(await opened.stores.directory.consumeSignInLink(link.secretHash, Date.now())).toEqual(link);
      expect(await recorded(opened.stores, event)).toEqual([event]);
    });

    test("an unknown sign-in link is nobody's", async () => {
      expect(await opened.stores.directory.consumeSignInLink(newHash(), Date.now())).toBeUndefined();
    });

    test("a browser session reads back, is touched forward only, and is gone once deleted", async () => {
      const session = newSession();
      const { sessionHash, lastSeenAt } = session;
      await opened.stores.directory.createBrowserSession(session);
      expect(await opened.stores.directory.getBrowserSession(sessionHash)).toEqual(session);
      await opened.stores.directory.touchBrowserSession(sessionHash, lastSeenAt + 10);
      await opened.stores.directory.touchBrowserSession(sessionHash, lastSeenAt + 5);
      expect((await opened.stores.directory.getBrowserSession(sessionHash))?.lastSeenAt).toBe(lastSeenAt + 10);
      await opened.stores.directory.deleteBrowserSession(sessionHash);
      expect(await opened.stores.directory.getBrowserSession(sessionHash)).toBeUndefined();
    });

    test("a session of a person who signed in through a connector keeps what that told, also when it is touched", async () => {
      const [full, bare] = [newSession(connectorSignIn()), newSession(bareSignIn())];
      for (const session of [full, bare]) await opened.stores.directory.createBrowserSession(session);
      const { sessionHash, lastSeenAt } = full;
      await opened.stores.directory.touchBrowserSession(sessionHash, lastSeenAt + 10);
      await opened.reopen();
      const touched = { ...full, lastSeenAt: lastSeenAt + 10 };
      expect(await opened.stores.directory.getBrowserSession(sessionHash)).toEqual(touched);
      expect(await opened.stores.directory.getBrowserSession(bare.sessionHash)).toEqual(bare);
    });

    test("touching or deleting an unknown browser session creates none", async () => {
      const hash = newHash();
      await opened.stores.directory.touchBrowserSession(hash, Date.now());
      await opened.stores.directory.deleteBrowserSession(hash);
      expect(await opened.stores.directory.getBrowserSession(hash)).toBeUndefined();
    });

    test("links and sessions survive a restart", async () => {
      const [link, session] = [newLink(), newSession()];
      await opened.stores.directory.createSignInLink(link);
      await opened.stores.directory.createBrowserSession(session);
      await opened.reopen();
      expect(await opened.stores.directory.getBrowserSession(session.sessionHash)).toEqual(session);
      expect(await opened.stores.directory.consumeSignInLink(link.secretHash, Date.now())).toEqual(link);
    });
  });
}

function firstOwner(email: string): FirstOwner {
  const createdAt = Date.now();
  return {
    organization: { organizationId: newOrganizationId(), name: "Example", createdAt, revision: 1 },
    person: { userId: newUserId(), email, createdAt },
  };
}

function organizationCreated(organizationId: string): AuditEvent {
  return auditEvent({ type: "organization.created", organizationId, actor: "operator:test" });
}

/** The records of an event's organization, once there are some. */
async function recorded(stores: Stores, { organizationId }: AuditEvent): Promise<readonly AuditEvent[]> {
  const { items } = await eventually(
    () => stores.auditLog.query({ organizationId }, { limit: 10 }),
    (page) => page.items.length > 0,
  );
  return items;
}

function ownerAdded({ organization, person }: FirstOwner) {
  return auditEvent({ type: "member.added", organizationId: organization.organizationId, actor: person.userId });
}

function newLink() {
  return { secretHash: newHash(), userId: newUserId(), expiresAt: Date.now() + MINUTE };
}

export function newSession(signIn?: ConnectorSignIn): BrowserSessionRecord {
  const now = Date.now();
  return {
    sessionHash: newHash(),
    userId: newUserId(),
    createdAt: now,
    lastSeenAt: now,
    expiresAt: now + 60 * MINUTE,
    ...(signIn !== undefined && { signIn }),
  };
}

export function bareSignIn(): ConnectorSignIn {
  return {
    connector: "corp",
    issuer: "https://id.corp.example",
    subject: "1",
    claims: {},
    authenticatedAt: Date.now(),
  };
}

function connectorSignIn(): ConnectorSignIn {
  return {
    ...bareSignIn(),
    claims: {
      name: "Zoë \u{1F600}",
      email_verified: true,
      "https://corp.example/claims": { groups: ["staff", null, [1.5, -0.1, 1e21]], manager: null, "": {} },
    },
    acr: "urn:mace:incommon:iap:silver",
    amr: ["pwd", "otp"],
    sessionId: "session of the connector",
  };
}

function newHash(): string {
  return uuid(random);
}
