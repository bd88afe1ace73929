import { beforeEach, describe, expect, test } from "vitest";
import type { Role } from "../../../lib/stores/directory.ts";
import type { Stores } from "../../../lib/stores/stores.ts";
import {
  createdInvitation,
  createdOrganization,
  joined,
  memberEvent,
  organization,
  person,
} from "../member-records.ts";
import type { Releases, ReleasesEngine } from "./engine.ts";

/** The release before this one knew one organization with one owner. */
export function memberReleasesContract(engine: ReleasesEngine): void {
  describe(`organizations and two releases on ${engine.name}`, () => {
    let releases: Releases;
    beforeEach(async () => {
      releases = await engine.open();
      return () => releases.close();
    });

    /** The first organization, as the release before this one made it. */
    const upgraded = async () => {
      const [{ revision: _, ...made }, owner] = [organization(), person()];
      await (await releases.previous()).createOwner({ organization: made, person: owner });
      return { stores: await releases.current(), made: { ...made, revision: 1 }, owner };
    };
    const roles = async ({ members }: Stores, organizationId: string) => {
      const { items } = await members.listMembers(organizationId, { limit: 10 });
      return items.map(({ email, role }) => [email, role]);
    };
    const change = ({ members }: Stores, organizationId: string, userId: string, role: Role) =>
      members.changeRole({ organizationId, userId }, role, memberEvent("member.role_changed", organizationId));
    const remove = ({ members }: Stores, organizationId: string, userId: string) =>
      members.removeMember({ organizationId, userId }, memberEvent("member.removed", organizationId));

    describe(`members on ${engine.name}`, () => {
      test("the first organization of the release before this one has its owner, who is the last one, and a revision", async () => {
        const { stores, made, owner } = await upgraded();
        const { organizationId } = made;
        expect(await stores.directory.firstOrganization()).toEqual(made);
        const changes = Array.from({ length: 10 }, () => change(stores, organizationId, owner.userId, "member"));
        expect(new Set(await Promise.all(changes))).toEqual(new Set(["last_owner"]));
        expect(await remove(stores, organizationId, owner.userId)).toBe("last_owner");
        expect(await roles(stores, organizationId)).toEqual([[owner.email, "owner"]]);
        const rename = { organizationId, name: "Renamed", expectedRevision: 1 };
        const event = memberEvent("organization.updated", organizationId);
        const renamed = { ...made, name: "Renamed", revision: 2 };
        expect(await stores.members.renameOrganization(rename, event)).toEqual(renamed);
        expect(await stores.members.renameOrganization(rename, event)).toBe("stale");
        expect(await stores.directory.getOrganization(organizationId)).toEqual(renamed);
      });

      test("the first owner of the release before this one hands over and goes, and is forgotten", async () => {
        const { stores, made, owner } = await upgraded();
        const { organizationId } = made;
        const heir = await joined(stores, organizationId, "owner");
        expect(await roles(stores, organizationId)).toEqual([
          [owner.email, "owner"],
          [heir.email, "owner"],
        ]);
        const other = await createdOrganization(stores, owner);
        expect(await remove(stores, organizationId, owner.userId)).toBe("done");
        expect(await remove(stores, organizationId, heir.userId)).toBe("last_owner");
        expect(await stores.directory.getPerson(owner.userId)).toEqual(owner);
        await joined(stores, other.organizationId, "owner", heir);
        expect(await remove(stores, other.organizationId, owner.userId)).toBe("done");
        expect(await stores.directory.getPerson(owner.userId)).toBeUndefined();
        expect(await stores.directory.findPersonByEmail(owner.email)).toBeUndefined();
      });

      test("organizations and members of this release are there again after the one before it has written", async () => {
        const { stores, made, owner } = await upgraded();
        const other = await createdOrganization(stores, owner);
        const [member, second] = [
          await joined(stores, made.organizationId),
          await joined(stores, other.organizationId),
        ];
        const previous = await releases.previous();
        // That release takes addresses for unique: in SQL it reads this one behind the person's id (D167).
        const { email, ...rest } = member;
        expect(await previous.person(member.userId)).toMatchObject({ ...rest, email: expect.stringContaining(email) });
        await previous.createLink({ secretHash: "new", userId: owner.userId, expiresAt: Date.now() + 60_000 });

        const again = await releases.current();
        const expected = (joiner: { readonly email: string }) => [
          [owner.email, "owner"],
          [joiner.email, "member"],
        ];
        expect(await roles(again, made.organizationId)).toEqual(expected(member));
        expect(await roles(again, other.organizationId)).toEqual(expected(second));
        expect(await again.directory.getOrganization(other.organizationId)).toEqual(other);
      });
    });

    describe(`invitations on ${engine.name}`, () => {
      test("invitations of this release are there again after the one before it has written", async () => {
        const { stores, made, owner } = await upgraded();
        const open = await createdInvitation(stores, made.organizationId);
        const previous = await releases.previous();
        await previous.createLink({ secretHash: "new", userId: owner.userId, expiresAt: Date.now() + 60_000 });
        const { invitations } = await releases.current();
        expect(await invitations.listInvitations(made.organizationId, Date.now())).toEqual([open]);
        const event = memberEvent("member.added", made.organizationId);
        const acceptance = invitations.acceptInvitation(open.secretHash, Date.now(), { person: person() }, event);
        expect(await acceptance).toBe("accepted");
      });
    });
  });
}
