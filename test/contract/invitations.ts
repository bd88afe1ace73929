import { beforeAll, describe, expect, test } from "vitest";
import type { PersonRecord } from "../../lib/stores/directory.ts";
import type { Invited } from "../../lib/stores/invitations.ts";
import type { Stores } from "../../lib/stores/stores.ts";
import { OTHERS, recorded, settleBesides, sortedIds } from "./beside-failure.ts";
import { newUserId } from "./credential-records.ts";
import { openedStores, type StoreEngine } from "./engine.ts";
import { recordedIn } from "./exchange-records.ts";
import {
  createdFirstOwner,
  createdInvitation,
  createdOrganization,
  invitation,
  joined,
  memberEvent,
  person,
} from "./member-records.ts";
import { MINUTE } from "./records.ts";

/** What every implementation of `Invitations` does. */
export function invitationsContract(engine: StoreEngine): void {
  describe(`invitations on ${engine.name}`, () => {
    const opened = openedStores(engine);
    let owner: PersonRecord;
    let organizationId: string;
    beforeAll(async () => {
      owner = await createdFirstOwner(opened.stores);
      organizationId = (await createdOrganization(opened.stores, owner)).organizationId;
    });

    const accept = (secretHash: string, invited: Invited, now = Date.now(), stores = opened.stores) =>
      stores.invitations.acceptInvitation(secretHash, now, invited, memberEvent("member.added", organizationId));
    const find = (secretHash: string, now = Date.now()) => opened.stores.invitations.findInvitation(secretHash, now);
    const revoke = (invitationId: string, id = organizationId) =>
      opened.stores.invitations.revokeInvitation(id, invitationId, memberEvent("invitation.revoked", id));

    test("an open invitation is found by its secret and listed from the newest, with its event, until it expires", async () => {
      const own = await createdOrganization(opened.stores, owner);
      const now = Date.now();
      const made = [1, 2, 3].map((age) =>
        invitation(own.organizationId, { createdAt: now - age, expiresAt: now + age * MINUTE }),
      );
      const events = made.map(() => memberEvent("member.invited", own.organizationId));
      for (const i of [1, 0, 2]) {
        const [one, event] = [made[i], events[i]];
        if (one !== undefined && event !== undefined) await opened.stores.invitations.createInvitation(one, event);
      }
      const { invitations } = await opened.another();
      expect(await invitations.listInvitations(own.organizationId, now)).toEqual(made);
      expect(await invitations.listInvitations(own.organizationId, now + 2 * MINUTE)).toEqual(made.slice(2));
      for (const one of made) {
        expect(await invitations.findInvitation(one.secretHash, one.expiresAt - 1)).toEqual(one);
        expect(await invitations.findInvitation(one.secretHash, one.expiresAt)).toBeUndefined();
      }
      expect(await invitations.findInvitation(crypto.randomUUID(), now)).toBeUndefined();
      expect(await recorded(opened.stores, own.organizationId, 3, "member.invited")).toEqual(sortedIds(events));
    });

    test("whoever is new becomes a person and a member with the role, in one step, with its event", async () => {
      const own = await createdOrganization(opened.stores, owner);
      const { secretHash } = await createdInvitation(opened.stores, own.organizationId, { role: "owner" });
      const one = person();
      const event = memberEvent("member.added", own.organizationId);
      const now = Date.now() + 7;
      const { invitations, directory, members } = opened.stores;
      expect(await invitations.acceptInvitation(secretHash, now, { person: one }, event)).toBe("accepted");
      expect(await directory.getPerson(one.userId)).toEqual(one);
      // The address is a name that the inviter gave.
      expect(await directory.findPersonByEmail(one.email)).toBeUndefined();
      const membership = { organizationId: own.organizationId, userId: one.userId, role: "owner", createdAt: now };
      expect(await directory.memberships(one.userId)).toEqual([membership]);
      const { items } = await members.listMembers(own.organizationId, { limit: 10 });
      expect(items).toContainEqual({ ...membership, email: one.email });
      expect(await find(secretHash)).toBeUndefined();
      expect(await invitations.listInvitations(own.organizationId, now)).toEqual([]);
      expect(await recordedIn(opened.stores, event, 1)).toEqual([event.id]);
      expect(await accept(secretHash, { person: person() })).toBe("gone");
    });

    test("of 50 parallel acceptances of one invitation, by two processes, one makes a member", async () => {
      const processes = [opened.stores, await opened.another()] as const;
      const own = await createdOrganization(opened.stores, owner);
      const { secretHash } = await createdInvitation(opened.stores, own.organizationId, { role: "owner" });
      const people = Array.from({ length: 50 }, () => person());
      const event = memberEvent("member.added", own.organizationId);
      const results = await Promise.all(
        people.map((one, i) =>
          (processes[i % 2] as Stores).invitations.acceptInvitation(
            secretHash,
            Date.now(),
            { person: one },
            memberEvent("member.added", own.organizationId),
          ),
        ),
      );
      const accepted = people.filter((_, i) => results[i] === "accepted");
      expect(accepted).toHaveLength(1);
      expect(results.filter((result) => result === "gone")).toHaveLength(49);
      const { items } = await opened.stores.members.listMembers(own.organizationId, { limit: 100 });
      expect(items.map(({ userId }) => userId).toSorted()).toEqual([owner.userId, accepted[0]?.userId].toSorted());
      const found = await Promise.all(people.map(({ userId }) => opened.stores.directory.getPerson(userId)));
      expect(found.filter((one) => one !== undefined)).toEqual(accepted);
      expect(await recordedIn(opened.stores, event, 1)).toHaveLength(1);
    });

    test("a person who exists accepts as themselves, once: another invitation stays for somebody else", async () => {
      const own = await createdOrganization(opened.stores, owner);
      const one = await joined(opened.stores, organizationId);
      const [first, second] = [
        await createdInvitation(opened.stores, own.organizationId),
        await createdInvitation(opened.stores, own.organizationId),
      ];
      expect(await accept(first.secretHash, { userId: one.userId })).toBe("accepted");
      expect(await accept(second.secretHash, { userId: one.userId })).toBe("member_already");
      expect(await find(second.secretHash)).toEqual(second);
      expect(await opened.stores.directory.memberships(one.userId)).toHaveLength(2);
      expect(await opened.stores.directory.getPerson(one.userId)).toEqual(one);
      expect(await accept(second.secretHash, { person: person() })).toBe("accepted");
    });

    test("49. an address that a person has keeps nobody out, in any organization, and finds that person alone", async () => {
      const first = await Promise.resolve(owner);
      const others = Array.from({ length: 10 }, () => invitation(organizationId, { email: first.email }));
      for (const other of others) {
        await opened.stores.invitations.createInvitation(other, memberEvent("member.invited", organizationId));
      }
      const people = Array.from({ length: 50 }, () => person({ email: first.email }));
      const results = await Promise.all(
        people.map((one, i) => accept(others[i % 10]?.secretHash ?? "", { person: one })),
      );
      expect(results.filter((result) => result === "accepted")).toHaveLength(10);
      expect(results.filter((result) => result === "gone")).toHaveLength(40);
      const joinedPeople = people.filter((_, i) => results[i] === "accepted");
      for (const one of joinedPeople) expect(await opened.stores.directory.getPerson(one.userId)).toEqual(one);
      expect(await opened.stores.directory.findPersonByEmail(first.email)).toEqual(first);
      const { items } = await opened.stores.members.listMembers(organizationId, { limit: 200 });
      expect(items.filter(({ email }) => email === first.email)).toHaveLength(10 + (first === owner ? 1 : 0));
      for (const one of joinedPeople) {
        const member = { organizationId, userId: one.userId };
        expect(await opened.stores.members.removeMember(member, memberEvent("member.removed", organizationId))).toBe(
          "done",
        );
      }
      expect(await opened.stores.directory.findPersonByEmail(first.email)).toEqual(first);
    });

    test("an invitation that nobody who exists accepts stays", async () => {
      const made = await createdInvitation(opened.stores, organizationId);
      await expect(accept(made.secretHash, { userId: newUserId() })).rejects.toThrow();
      expect(await find(made.secretHash)).toEqual(made);
    });

    test("an invitation is accepted until the millisecond before its expiry", async () => {
      const [late, inTime] = [
        await createdInvitation(opened.stores, organizationId),
        await createdInvitation(opened.stores, organizationId),
      ];
      expect(await accept(late.secretHash, { person: person() }, late.expiresAt)).toBe("gone");
      expect(await accept(inTime.secretHash, { person: person() }, inTime.expiresAt - 1)).toBe("accepted");
    });

    test("a revoked invitation is gone, with its event, and only its own organization revokes it", async () => {
      const own = await createdOrganization(opened.stores, owner);
      const made = await createdInvitation(opened.stores, own.organizationId);
      const { invitations } = opened.stores;
      expect(await revoke(made.invitationId)).toBe(false);
      expect(await find(made.secretHash)).toEqual(made);
      const event = memberEvent("invitation.revoked", own.organizationId);
      expect(await invitations.revokeInvitation(own.organizationId, made.invitationId, event)).toBe(true);
      expect(await revoke(made.invitationId, own.organizationId)).toBe(false);
      expect(await find(made.secretHash)).toBeUndefined();
      expect(await invitations.listInvitations(own.organizationId, Date.now())).toEqual([]);
      expect(await accept(made.secretHash, { person: person() })).toBe("gone");
      expect(await recordedIn(opened.stores, event, 1)).toEqual([event.id]);
    });

    test("an invitation that is over is not revoked", async () => {
      const made = await createdInvitation(opened.stores, organizationId, { expiresAt: Date.now() - 1 });
      expect(await revoke(made.invitationId)).toBe(false);
    });

    test("acceptance against revocation: one of them takes place", async () => {
      for (let round = 0; round < 20; round++) {
        const made = await createdInvitation(opened.stores, organizationId);
        const one = person();
        const [acceptance, isRevoked] = await Promise.all([
          accept(made.secretHash, { person: one }),
          revoke(made.invitationId),
        ]);
        expect(acceptance).toBe(isRevoked ? "gone" : "accepted");
        expect(await opened.stores.directory.getPerson(one.userId)).toEqual(isRevoked ? undefined : one);
        expect(await find(made.secretHash)).toBeUndefined();
      }
    });

    test("an invitation that has expired for one clock is open for the other, once", async () => {
      const behind = { stores: await opened.another(-MINUTE), now: Date.now() - MINUTE };
      const ahead = { stores: await opened.another(MINUTE), now: Date.now() + MINUTE };
      const made = await createdInvitation(ahead.stores, organizationId, { expiresAt: Date.now() });
      const as = { person: person() };
      expect(await ahead.stores.invitations.findInvitation(made.secretHash, ahead.now)).toBeUndefined();
      expect(await accept(made.secretHash, as, ahead.now, ahead.stores)).toBe("gone");
      await opened.housekeep();
      expect(await accept(made.secretHash, as, behind.now, behind.stores)).toBe("accepted");
      expect(await accept(made.secretHash, { person: person() }, behind.now, behind.stores)).toBe("gone");
    });

    test("of many invitations at a time one of a secret that exists fails, leaves nothing, and the others are kept", async () => {
      const own = await createdOrganization(opened.stores, owner);
      const taken = await createdInvitation(opened.stores, organizationId);
      const made = Array.from({ length: OTHERS }, () => invitation(own.organizationId));
      const again = invitation(own.organizationId, { secretHash: taken.secretHash });
      const events = await settleBesides(
        made.map((one) => {
          const event = memberEvent("member.invited", own.organizationId);
          return { event, write: ({ invitations }: Stores) => invitations.createInvitation(one, event) };
        }),
        ({ invitations }) => invitations.createInvitation(again, memberEvent("member.invited", own.organizationId)),
        opened,
      );
      expect(await find(taken.secretHash)).toEqual(taken);
      const listed = await opened.stores.invitations.listInvitations(own.organizationId, Date.now());
      expect(listed.map(({ secretHash }) => secretHash).sort()).toEqual(
        made.map(({ secretHash }) => secretHash).sort(),
      );
      expect(await recorded(opened.stores, own.organizationId, OTHERS, "member.invited")).toEqual(sortedIds(events));
    });

    test("open, used and revoked invitations survive a restart", async () => {
      const own = await createdOrganization(opened.stores, owner);
      const made = () => createdInvitation(opened.stores, own.organizationId);
      const [open, used, revoked] = [await made(), await made(), await made()];
      expect(await accept(used.secretHash, { person: person() })).toBe("accepted");
      expect(await revoke(revoked.invitationId, own.organizationId)).toBe(true);
      await opened.reopen();
      await opened.housekeep();
      expect(await opened.stores.invitations.listInvitations(own.organizationId, Date.now())).toEqual([open]);
      for (const { secretHash } of [used, revoked]) {
        expect(await find(secretHash)).toBeUndefined();
        expect(await accept(secretHash, { person: person() })).toBe("gone");
      }
      expect(await accept(open.secretHash, { person: person() })).toBe("accepted");
    });
  });
}
