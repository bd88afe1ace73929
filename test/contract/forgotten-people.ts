import { beforeAll, describe, expect, test } from "vitest";
import type { ConnectionRecord, ConnectionState } from "../../lib/stores/connections.ts";
import type { PersonRecord } from "../../lib/stores/directory.ts";
import { personId } from "../../lib/stores/identities.ts";
import type { Stores } from "../../lib/stores/stores.ts";
import { connected, keyOf } from "./connection-records.ts";
import { credentialEvent, identity, passkey } from "./credential-records.ts";
import { openedStores, type StoreEngine } from "./engine.ts";
import {
  createdFirstOwner,
  createdInvitation,
  createdOrganization,
  joined,
  memberEvent,
  person,
} from "./member-records.ts";
import { MINUTE } from "./records.ts";

/** What is left of people whose memberships end. */
export function forgottenPeopleContract(engine: StoreEngine): void {
  describe(`members on ${engine.name}`, () => {
    const opened = openedStores(engine);
    let owner: PersonRecord;
    beforeAll(async () => {
      owner = await createdFirstOwner(opened.stores);
    });

    const remove = (organizationId: string, { userId }: PersonRecord) =>
      opened.stores.members.removeMember({ organizationId, userId }, memberEvent("member.removed", organizationId));

    /** Everything that a person can sign in with, or is signed in with. */
    const equipped = async ({ userId }: PersonRecord) => {
      const [key, account] = [passkey({ userId }), identity({ userId })];
      const now = Date.now();
      const link = { secretHash: crypto.randomUUID(), userId, expiresAt: now + MINUTE };
      const seen = { createdAt: now, lastSeenAt: now, expiresAt: now + MINUTE };
      const session = { sessionHash: crypto.randomUUID(), userId, ...seen };
      const { passkeys, identities, directory } = opened.stores;
      await passkeys.addPasskey(key, credentialEvent("passkey.added"));
      await identities.linkIdentity(account, credentialEvent("identity.linked"));
      await directory.createSignInLink(link);
      await directory.createBrowserSession(session);
      return { key, account, link, session, now };
    };

    test("who is removed from one of two organizations keeps everything else", async () => {
      const [first, second] = [
        await createdOrganization(opened.stores, owner),
        await createdOrganization(opened.stores, owner),
      ];
      const one = await joined(opened.stores, first.organizationId);
      await joined(opened.stores, second.organizationId, "member", one);
      const { key, account, link, session, now } = await equipped(one);
      expect(await remove(first.organizationId, one)).toBe("done");
      const { directory, passkeys, identities } = opened.stores;
      expect(await directory.memberships(one.userId)).toMatchObject([{ organizationId: second.organizationId }]);
      expect(await directory.getPerson(one.userId)).toEqual(one);
      expect(await passkeys.listPasskeys(one.userId)).toEqual([key]);
      expect(await identities.findIdentity(account)).toEqual(account);
      expect(await directory.browserSessions(one.userId, now)).toEqual([session]);
      expect(await directory.consumeSignInLink(link.secretHash, now)).toEqual(link);
    });

    test("67. connections end with the membership, and those in other organizations do not", async () => {
      const [first, second] = [
        await createdOrganization(opened.stores, owner),
        await createdOrganization(opened.stores, owner),
      ];
      const one = await joined(opened.stores, first.organizationId);
      await joined(opened.stores, second.organizationId, "member", one);
      const accounts = [identity({ userId: one.userId }), identity({ userId: one.userId })];
      for (const account of accounts)
        await opened.stores.identities.linkIdentity(account, credentialEvent("identity.linked"));
      const somebody = await connected(opened.stores, { organizationId: first.organizationId });
      const here: ConnectionRecord[] = [];
      const there: ConnectionRecord[] = [];
      for (const account of accounts) {
        for (const app of ["one", "two"]) {
          const of = { person: personId(account), app };
          here.push(await connected(opened.stores, { ...of, organizationId: first.organizationId }));
          there.push(await connected(opened.stores, { ...of, organizationId: second.organizationId }));
        }
      }
      expect(await remove(first.organizationId, one)).toBe("done");
      await expectStates(opened.stores, here, "deleted");
      await expectStates(opened.stores, [...there, somebody], "connected");
      // With the last one the person is forgotten.
      expect(await remove(second.organizationId, one)).toBe("done");
      await expectStates(opened.stores, [...here, ...there], "deleted");
      await expectStates(opened.stores, [somebody], "connected");
      const listed = await opened.stores.connections.deleted(1000, Date.now());
      expect(listed).toEqual(
        expect.arrayContaining(
          [...here, ...there].map(({ connectionId }) => expect.objectContaining({ connectionId })),
        ),
      );
    });

    test("67. connections end with the account that they were made under, in every organization of its person", async () => {
      const [first, second] = [
        await createdOrganization(opened.stores, owner),
        await createdOrganization(opened.stores, owner),
      ];
      const one = await joined(opened.stores, first.organizationId);
      await joined(opened.stores, second.organizationId, "member", one);
      const [lost, kept] = [identity({ userId: one.userId }), identity({ userId: one.userId })];
      const made: Record<string, ConnectionRecord[]> = {};
      for (const account of [lost, kept]) {
        await opened.stores.identities.linkIdentity(account, credentialEvent("identity.linked"));
        const person = personId(account);
        made[person] = await Promise.all(
          [first, second].map(({ organizationId }) => connected(opened.stores, { organizationId, person })),
        );
      }
      const { identities } = opened.stores;
      expect(await identities.unlinkIdentity(owner.userId, lost, credentialEvent("identity.unlinked"))).toBe(false);
      await expectStates(opened.stores, made[personId(lost)] ?? [], "connected");
      expect(await identities.unlinkIdentity(one.userId, lost, credentialEvent("identity.unlinked"))).toBe(true);
      await expectStates(opened.stores, made[personId(lost)] ?? [], "deleted");
      await expectStates(opened.stores, made[personId(kept)] ?? [], "connected");
    });

    test("who is removed from the last organization is forgotten, and address and account can come again", async () => {
      const { organizationId } = await createdOrganization(opened.stores, owner);
      const one = await joined(opened.stores, organizationId);
      const other = await joined(opened.stores, organizationId);
      const [mine, others] = [await equipped(one), await equipped(other)];
      expect(await remove(organizationId, one)).toBe("done");
      const { directory, passkeys, identities } = await opened.another();
      expect(await directory.getPerson(one.userId)).toBeUndefined();
      expect(await directory.findPersonByEmail(one.email)).toBeUndefined();
      expect(await passkeys.getPasskey(mine.key.credentialId)).toBeUndefined();
      expect(await passkeys.listPasskeys(one.userId)).toEqual([]);
      expect(await identities.findIdentity(mine.account)).toBeUndefined();
      expect(await identities.listIdentities(one.userId)).toEqual([]);
      expect(await directory.getBrowserSession(mine.session.sessionHash)).toBeUndefined();
      expect(await directory.browserSessions(one.userId, mine.now)).toEqual([]);
      expect(await directory.consumeSignInLink(mine.link.secretHash, mine.now)).toBeUndefined();

      expect(await passkeys.listPasskeys(other.userId)).toEqual([others.key]);
      expect(await identities.listIdentities(other.userId)).toEqual([others.account]);
      expect(await directory.browserSessions(other.userId, others.now)).toEqual([others.session]);
      expect(await directory.consumeSignInLink(others.link.secretHash, others.now)).toEqual(others.link);

      const again = await joined(opened.stores, organizationId, "member", person({ email: one.email }));
      expect(await directory.getPerson(again.userId)).toEqual(again);
      const linked = { ...mine.account, userId: again.userId };
      expect(await identities.linkIdentity(linked, credentialEvent("identity.linked"))).toBe(true);
    });

    test("the removal of the last membership against another acceptance: the person stays with it or goes without it", async () => {
      for (let round = 0; round < 10; round++) {
        const [first, second] = [
          await createdOrganization(opened.stores, owner),
          await createdOrganization(opened.stores, owner),
        ];
        const one = await joined(opened.stores, first.organizationId);
        const { secretHash } = await createdInvitation(opened.stores, second.organizationId);
        const { invitations, directory } = opened.stores;
        const event = memberEvent("member.added", second.organizationId);
        const [removal, acceptance] = await Promise.allSettled([
          remove(first.organizationId, one),
          invitations.acceptInvitation(secretHash, Date.now(), { userId: one.userId }, event),
        ]);
        expect(removal).toEqual({ status: "fulfilled", value: "done" });
        const isMember = acceptance.status === "fulfilled";
        expect(await directory.getPerson(one.userId)).toEqual(isMember ? one : undefined);
        const memberships = isMember ? [{ organizationId: second.organizationId }] : [];
        expect(await directory.memberships(one.userId)).toMatchObject(memberships);
        const found = await invitations.findInvitation(secretHash, Date.now());
        expect(found === undefined).toBe(isMember);
      }
    });

    test("of 50 parallel removals from two organizations the last one forgets the person", async () => {
      const [first, second] = [
        await createdOrganization(opened.stores, owner),
        await createdOrganization(opened.stores, owner),
      ];
      const one = await joined(opened.stores, first.organizationId);
      await joined(opened.stores, second.organizationId, "member", one);
      const { key } = await equipped(one);
      const results = await Promise.all(
        Array.from({ length: 50 }, (_, i) => remove((i % 2 === 0 ? first : second).organizationId, one)),
      );
      expect(results.filter((result) => result === "done")).toHaveLength(2);
      expect(await opened.stores.directory.getPerson(one.userId)).toBeUndefined();
      expect(await opened.stores.passkeys.getPasskey(key.credentialId)).toBeUndefined();
    });
  });
}

async function expectStates(
  { connections }: Stores,
  records: readonly ConnectionRecord[],
  state: ConnectionState,
): Promise<void> {
  const found = await Promise.all(records.map((record) => connections.connection(keyOf(record))));
  expect(found.map((record) => record?.state)).toEqual(records.map(() => state));
}
