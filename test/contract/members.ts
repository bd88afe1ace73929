import { beforeAll, describe, expect, test } from "vitest";
import type { AuditEventType } from "../../lib/stores/audit-log.ts";
import type { PersonRecord, Role } from "../../lib/stores/directory.ts";
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
  organization,
  person,
} from "./member-records.ts";
import { apiClient, newOrganizationId } from "./records.ts";

/** What every implementation of `Members` does. */
export function membersContract(engine: StoreEngine): void {
  describe(`members on ${engine.name}`, () => {
    const opened = openedStores(engine);
    let owner: PersonRecord;
    beforeAll(async () => {
      owner = await createdFirstOwner(opened.stores);
    });

    const roles = async (organizationId: string): Promise<Readonly<Record<string, Role>>> => {
      const { items } = await opened.stores.members.listMembers(organizationId, { limit: 100 });
      return Object.fromEntries(items.map(({ userId, role }) => [userId, role]));
    };
    const change = (organizationId: string, { userId }: PersonRecord, role: Role, stores = opened.stores) =>
      stores.members.changeRole({ organizationId, userId }, role, memberEvent("member.role_changed", organizationId));
    const remove = (organizationId: string, { userId }: PersonRecord, stores = opened.stores) =>
      stores.members.removeMember({ organizationId, userId }, memberEvent("member.removed", organizationId));

    test("an organization is made with its owner, who keeps other memberships, and with its event", async () => {
      const made = organization({ createdAt: Date.now() + 5 });
      const { organizationId, createdAt } = made;
      const event = memberEvent("organization.created", organizationId);
      await opened.stores.members.createOrganization(made, owner.userId, event);
      const { directory, members } = await opened.another();
      expect(await directory.getOrganization(organizationId)).toEqual(made);
      const membership = { organizationId, userId: owner.userId, role: "owner", createdAt };
      expect((await directory.memberships(owner.userId)).at(-1)).toEqual(membership);
      expect((await directory.memberships(owner.userId)).length).toBeGreaterThan(1);
      const listed = await members.listMembers(organizationId, { limit: 10 });
      expect(listed).toEqual({ items: [{ ...membership, email: owner.email }] });
      expect(await directory.getPerson(owner.userId)).toEqual(owner);
      expect(await recordedIn(opened.stores, event, 1)).toEqual([event.id]);
      expect((await directory.firstOrganization())?.organizationId).not.toBe(organizationId);
    });

    test("47. that there are several organizations is known from the second on", async () => {
      const other = await engine.open();
      const first = await createdFirstOwner(other.stores);
      expect(await other.stores.members.hasSeveralOrganizations()).toBe(false);
      const made = organization();
      await other.stores.members.createOrganization(
        made,
        first.userId,
        memberEvent("organization.created", made.organizationId),
      );
      expect(await (await other.another()).members.hasSeveralOrganizations()).toBe(true);
      await other.close();
    });

    test("the first owner is a member of the first organization", async () => {
      const first = await opened.stores.directory.firstOrganization();
      const { items } = await opened.stores.members.listMembers(first?.organizationId ?? "", { limit: 10 });
      expect(items).toMatchObject([{ userId: owner.userId, email: owner.email, role: "owner" }]);
    });

    test("nobody who does not exist gets an organization", async () => {
      const made = organization();
      const event = memberEvent("organization.created", made.organizationId);
      await expect(opened.stores.members.createOrganization(made, newUserId(), event)).rejects.toThrow();
      expect(await opened.stores.directory.getOrganization(made.organizationId)).toBeUndefined();
      expect(await opened.stores.members.listMembers(made.organizationId, { limit: 10 })).toEqual({ items: [] });
    });

    test("an organization is renamed at the revision that is expected, or at any where none is", async () => {
      const made = await createdOrganization(opened.stores, owner);
      const { organizationId } = made;
      const event = memberEvent("organization.updated", organizationId);
      const rename = (name: string, expectedRevision?: number) =>
        opened.stores.members.renameOrganization(
          { organizationId, name, ...(expectedRevision !== undefined && { expectedRevision }) },
          name === "First" ? event : memberEvent("organization.updated", organizationId),
        );
      expect(await rename("First", 1)).toEqual({ ...made, name: "First", revision: 2 });
      expect(await rename("Stale", 1)).toBe("stale");
      expect(await recordedIn(opened.stores, event, 1)).toEqual([event.id]);
      expect(await rename("Second")).toEqual({ ...made, name: "Second", revision: 3 });
      expect(await opened.stores.directory.getOrganization(organizationId)).toEqual({
        ...made,
        name: "Second",
        revision: 3,
      });
      const unknown = { organizationId: newOrganizationId(), name: "Nobody's" };
      expect(await opened.stores.members.renameOrganization(unknown, event)).toBe("not_found");
    });

    test("of 50 parallel changes of an organization's name at one revision, by two processes, one counts", async () => {
      const processes = [opened.stores, await opened.another()] as const;
      const { organizationId } = await createdOrganization(opened.stores, owner);
      const event = memberEvent("organization.updated", organizationId);
      const results = await Promise.all(
        Array.from({ length: 50 }, (_, i) =>
          (processes[i % 2] as Stores).members.renameOrganization(
            { organizationId, name: `Name ${i}`, expectedRevision: 1 },
            memberEvent("organization.updated", organizationId),
          ),
        ),
      );
      const winners = results.filter((result) => result !== "stale");
      expect(winners).toEqual([await opened.stores.directory.getOrganization(organizationId)]);
      expect(await recordedIn(opened.stores, event, 1)).toHaveLength(1);
    });

    test("86. an organization that was deleted is there for nobody, and its members can be removed, the last owner, too", async () => {
      const processes = [opened.stores, await opened.another()] as const;
      const { members, invitations, apiClients, directory } = opened.stores;
      const alone = await joined(opened.stores, (await createdOrganization(opened.stores, owner)).organizationId);
      const made = await createdOrganization(opened.stores, owner);
      const { organizationId } = made;
      const second = await joined(opened.stores, organizationId, "owner");
      const open = await createdInvitation(opened.stores, organizationId);
      const openToOwners = await createdInvitation(opened.stores, organizationId, { role: "owner" });
      const kept = apiClient({ organizationId });
      const event = (type: AuditEventType) => memberEvent(type, organizationId);
      expect(await apiClients.create(kept, event("api_client.created"))).toBe(true);

      await Promise.all(processes.map((stores) => stores.members.closeOrganization(organizationId, Date.now())));
      for (const stores of processes) {
        expect(await stores.directory.getOrganization(organizationId)).toBeUndefined();
        const renamed = { organizationId, name: "Again" };
        expect(await stores.members.renameOrganization(renamed, event("organization.updated"))).toBe("not_found");
        const invited = invitation(organizationId);
        expect(await stores.invitations.createInvitation(invited, event("member.invited"))).toBe(false);
        const late = apiClient({ organizationId });
        expect(await stores.apiClients.create(late, event("api_client.created"))).toBe(false);
        expect(await stores.apiClients.get(organizationId, late.clientId)).toBeUndefined();
        for (const { secretHash } of [open, openToOwners]) {
          const accept = (who: Invited) =>
            stores.invitations.acceptInvitation(secretHash, Date.now(), who, event("member.added"));
          const stranger = person();
          expect(await accept({ person: stranger })).toBe("gone");
          expect(await accept({ userId: alone.userId })).toBe("gone");
          expect(await directory.getPerson(stranger.userId)).toBeUndefined();
        }
      }
      await expect(
        members.createOrganization(made, owner.userId, event("organization.created")),
        "its id is not given again",
      ).rejects.toThrow();

      expect((await apiClients.list(organizationId, { limit: 10 })).items).toEqual([kept]);
      const listed = await invitations.listInvitations(organizationId, Date.now());
      expect(listed.map(({ invitationId }) => invitationId).toSorted()).toEqual(
        [open.invitationId, openToOwners.invitationId].toSorted(),
      );
      expect(await roles(organizationId)).toEqual({ [owner.userId]: "owner", [second.userId]: "owner" });
      expect(await remove(organizationId, second)).toBe("done");
      expect(await remove(organizationId, owner)).toBe("done");
      expect(await roles(organizationId)).toEqual({});
      expect(await directory.getPerson(second.userId)).toBeUndefined();
      expect(await directory.getPerson(owner.userId)).toEqual(owner);
      expect(await members.hasSeveralOrganizations()).toBe(true);
    });

    test("86. closing an organization that nobody knows, or again, changes nothing", async () => {
      const unknown = newOrganizationId();
      await opened.stores.members.closeOrganization(unknown, Date.now());
      const late = apiClient({ organizationId: unknown });
      expect(await opened.stores.apiClients.create(late, memberEvent("api_client.created", unknown))).toBe(true);
      const made = await createdOrganization(opened.stores, owner);
      for (let round = 0; round < 2; round++) await opened.stores.members.closeOrganization(made.organizationId, round);
      expect(await opened.stores.directory.getOrganization(made.organizationId)).toBeUndefined();
    });

    test("86. of API clients that are made while their organization is closed, each is listed afterwards, or was refused", async () => {
      const processes = [opened.stores, await opened.another()] as const;
      for (let round = 0; round < 4; round++) {
        const { organizationId } = await createdOrganization(opened.stores, owner);
        const clients = Array.from({ length: 20 }, () => apiClient({ organizationId }));
        const outcomes = new Map<string, boolean>();
        let listed: readonly string[] = [];
        const close = async () => {
          await opened.stores.members.closeOrganization(organizationId, Date.now());
          const { items } = await opened.stores.apiClients.list(organizationId, { limit: 100 });
          listed = items.map(({ clientId }) => clientId);
        };
        await Promise.all(
          clients.map(async (client, i) => {
            if (i === 10) return close();
            const stores = processes[i % 2] as Stores;
            const event = memberEvent("api_client.created", organizationId);
            outcomes.set(client.clientId, await stores.apiClients.create(client, event));
          }),
        );
        const made = [...outcomes].flatMap(([clientId, isMade]) => (isMade ? [clientId] : []));
        expect(listed.toSorted()).toEqual(made.toSorted());
      }
    });

    test("members are listed from the oldest to the newest, page by page, each with address and role", async () => {
      const { organizationId, createdAt } = await createdOrganization(opened.stores, owner);
      const people = [owner];
      for (const i of [1, 2, 3, 4]) {
        people.push(await joined(opened.stores, organizationId, i === 2 ? "owner" : "member", person(), createdAt + i));
      }
      const listed: unknown[] = [];
      for (let cursor: string | undefined; ; ) {
        const request = { limit: 2, ...(cursor !== undefined && { cursor }) };
        const { items, nextCursor } = await opened.stores.members.listMembers(organizationId, request);
        expect(items.length).toBeLessThanOrEqual(2);
        listed.push(...items);
        cursor = nextCursor;
        if (cursor === undefined) break;
      }
      const expected = people.map(({ userId, email }, i) => ({
        ...{ organizationId, userId, email, createdAt: createdAt + i },
        role: i === 0 || i === 2 ? "owner" : "member",
      }));
      expect(listed).toEqual(expected);
      const request = { limit: 10, cursor: "no cursor" };
      expect((await opened.stores.members.listMembers(organizationId, request)).items).toEqual(expected);
    });

    test("a role is changed once, with its event, in the organization that is named and in no other", async () => {
      const { organizationId } = await createdOrganization(opened.stores, owner);
      const other = await createdOrganization(opened.stores, owner);
      const one = await joined(opened.stores, organizationId);
      const member = { organizationId, userId: one.userId };
      const event = memberEvent("member.role_changed", organizationId);
      expect(await opened.stores.members.changeRole(member, "owner", event)).toBe("done");
      expect(await change(organizationId, one, "owner")).toBe("unchanged");
      expect(await recordedIn(opened.stores, event, 1)).toEqual([event.id]);
      expect(await roles(organizationId)).toEqual({ [owner.userId]: "owner", [one.userId]: "owner" });
      expect(await opened.stores.directory.memberships(one.userId)).toMatchObject([{ organizationId, role: "owner" }]);
      for (const [id, who] of [
        [other.organizationId, one],
        [newOrganizationId(), one],
        [organizationId, person()],
      ] as const) {
        expect(await change(id, who, "member")).toBe("not_found");
        expect(await remove(id, who)).toBe("not_found");
      }
      expect(await roles(organizationId)).toEqual({ [owner.userId]: "owner", [one.userId]: "owner" });
    });

    test("the last owner stays a member and an owner until there is another one", async () => {
      const { organizationId } = await createdOrganization(opened.stores, owner);
      const one = await joined(opened.stores, organizationId);
      expect(await change(organizationId, owner, "member")).toBe("last_owner");
      expect(await remove(organizationId, owner)).toBe("last_owner");
      expect(await change(organizationId, one, "owner")).toBe("done");
      expect(await change(organizationId, owner, "member")).toBe("done");
      expect(await remove(organizationId, one)).toBe("last_owner");
      expect(await remove(organizationId, owner)).toBe("done");
      expect(await roles(organizationId)).toEqual({ [one.userId]: "owner" });
    });

    test("of 50 parallel demotions and removals of two owners, by two processes, one takes place", async () => {
      const processes = [opened.stores, await opened.another()] as const;
      const { organizationId } = await createdOrganization(opened.stores, owner);
      const second = await joined(opened.stores, organizationId, "owner");
      const attempts = Array.from({ length: 50 }, (_, i) => ({
        who: i % 4 < 2 ? owner : second,
        stores: processes[i % 2] as Stores,
        isRemoval: i % 8 < 4,
      }));
      const results = await Promise.all(
        attempts.map(async ({ who, stores, isRemoval }) => ({
          who,
          change: await (isRemoval
            ? remove(organizationId, who, stores)
            : change(organizationId, who, "member", stores)),
        })),
      );
      const after = await roles(organizationId);
      const owners = [owner, second].filter(({ userId }) => after[userId] === "owner");
      expect(owners).toHaveLength(1);
      expect(results.filter(({ who }) => who === owners[0]).map((result) => result.change)).toEqual(
        Array.from({ length: attempts.filter(({ who }) => who === owners[0]).length }, () => "last_owner"),
      );
      const records = await Promise.all(
        (["member.role_changed", "member.removed"] as const).map((type) =>
          recordedIn(opened.stores, { organizationId, type }, 0),
        ),
      );
      // A demoted one may be removed after that.
      expect(results.filter((result) => result.change === "done").length).toBeGreaterThanOrEqual(1);
      expect(records.every(({ length }) => length <= 1)).toBe(true);
    });

    test("of 50 parallel removals of one member one takes place, with one event", async () => {
      const { organizationId } = await createdOrganization(opened.stores, owner);
      const one = await joined(opened.stores, organizationId);
      const results = await Promise.all(Array.from({ length: 50 }, () => remove(organizationId, one)));
      expect(results.filter((result) => result === "done")).toHaveLength(1);
      expect(results.filter((result) => result === "not_found")).toHaveLength(49);
      expect(await recordedIn(opened.stores, memberEvent("member.removed", organizationId), 1)).toHaveLength(1);
      expect(await opened.stores.directory.getPerson(one.userId)).toBeUndefined();
    });

    test("of many organizations at a time one of an id that exists fails, leaves nothing, and the others are kept", async () => {
      const taken = await createdOrganization(opened.stores, owner);
      const made = Array.from({ length: OTHERS }, () => organization());
      const events = await settleBesides(
        made.map((one) => {
          const event = memberEvent("organization.created", one.organizationId);
          return { event, write: ({ members }: Stores) => members.createOrganization(one, owner.userId, event) };
        }),
        ({ members }) =>
          members.createOrganization(
            { ...taken, name: "Taken" },
            owner.userId,
            memberEvent("organization.created", taken.organizationId),
          ),
        opened,
      );
      for (const one of [taken, ...made]) {
        expect(await opened.stores.directory.getOrganization(one.organizationId)).toEqual(one);
        expect(await roles(one.organizationId)).toEqual({ [owner.userId]: "owner" });
      }
      const ids = await Promise.all(
        made.map(({ organizationId }) => recorded(opened.stores, organizationId, 1, "organization.created")),
      );
      expect(ids.flat().sort()).toEqual(sortedIds(events));
      expect(await recorded(opened.stores, taken.organizationId, 1, "organization.created")).toHaveLength(1);
    });

    test("organizations, members and their roles survive a restart", async () => {
      const made = await createdOrganization(opened.stores, owner);
      const { organizationId } = made;
      const [kept, promoted, removed] = [person(), person(), person()];
      for (const one of [kept, promoted, removed]) await joined(opened.stores, organizationId, "member", one);
      expect(await change(organizationId, promoted, "owner")).toBe("done");
      expect(await remove(organizationId, removed)).toBe("done");
      await opened.reopen();
      await opened.housekeep();
      expect(await opened.stores.directory.getOrganization(organizationId)).toEqual(made);
      expect(await roles(organizationId)).toEqual({
        [owner.userId]: "owner",
        [kept.userId]: "member",
        [promoted.userId]: "owner",
      });
    });
  });
}
