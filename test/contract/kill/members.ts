import { describe, expect, test } from "vitest";
import type { Remains } from "./grants.ts";
import { callsOf } from "./journal.ts";

/** Organizations, members and invitations that were changed when the writers were killed. */
export function killedMembersContract(name: string, { journals, stores, expectEvent }: Remains): void {
  const removals = () =>
    new Map(callsOf(journals, "members", "removeMember").map((call) => [call.args[0].userId, call] as const));

  describe(`members on ${name}`, () => {
    test("each organization is there with its owner and its event, or not at all", async () => {
      for (const { args, acknowledged } of callsOf(journals, "members", "createOrganization")) {
        const [made, owner, event] = args;
        const { organizationId } = made;
        const found = await stores().directory.getOrganization(organizationId);
        expect(found).toEqual(found === undefined && acknowledged === undefined ? undefined : made);
        const { items } = await stores().members.listMembers(organizationId, { limit: 10 });
        const memberships = await stores().directory.memberships(owner);
        const isOwned = memberships.some((one) => one.organizationId === organizationId && one.role === "owner");
        expect([items[0]?.userId, isOwned]).toEqual(found === undefined ? [undefined, false] : [owner, true]);
        await expectEvent(event, found !== undefined);
      }
    });

    test("each change of a role and each removal took place as a whole, with its event", async () => {
      for (const { args, acknowledged } of callsOf(journals, "members", "changeRole")) {
        const [{ organizationId, userId }, role, event] = args;
        const [membership] = await stores().directory.memberships(userId);
        const { items } = await stores().members.listMembers(organizationId, { limit: 10 });
        expect(items.find((member) => member.userId === userId)?.role).toBe(membership?.role);
        if (acknowledged !== undefined) expect(membership?.role).toBe(role);
        await expectEvent(event, membership?.role === role);
      }
      for (const [userId, { args, acknowledged }] of removals()) {
        const [{ organizationId }, event] = args;
        const isGone = (await stores().directory.getPerson(userId)) === undefined;
        const { items } = await stores().members.listMembers(organizationId, { limit: 10 });
        expect(items.some((member) => member.userId === userId)).toBe(!isGone);
        expect(await stores().directory.memberships(userId)).toHaveLength(isGone ? 0 : 1);
        if (acknowledged !== undefined) expect(isGone).toBe(true);
        await expectEvent(event, isGone);
      }
    });
  });

  describe(`invitations on ${name}`, () => {
    test("each invitation is open, used or revoked as a whole, with its events, or was never made", async () => {
      const revocations = new Map(
        callsOf(journals, "invitations", "revokeInvitation").map((call) => [call.args[1], call] as const),
      );
      const acceptances = new Map(
        callsOf(journals, "invitations", "acceptInvitation").map((call) => [call.args[0], call] as const),
      );
      for (const { args, acknowledged } of callsOf(journals, "invitations", "createInvitation")) {
        const [made, event] = args;
        const now = Date.now();
        const found = await stores().invitations.findInvitation(made.secretHash, now);
        const [revocation, acceptance] = [revocations.get(made.invitationId), acceptances.get(made.secretHash)];
        const isSettled = revocation?.acknowledged !== undefined || acceptance?.acknowledged !== undefined;
        const mayBeGone = acknowledged === undefined || revocation !== undefined || acceptance !== undefined;
        expect([...(mayBeGone ? [undefined] : []), ...(isSettled ? [] : [made])]).toContainEqual(found);
        const listed = await stores().invitations.listInvitations(made.organizationId, now);
        expect(listed.filter(({ invitationId }) => invitationId === made.invitationId)).toEqual(
          found === undefined ? [] : [found],
        );
        const wasAsked = revocation !== undefined || acceptance !== undefined;
        await expectEvent(event, found !== undefined || wasAsked);
        if (revocation !== undefined) await expectEvent(revocation.args[2], found === undefined);
        if (acceptance === undefined) continue;
        const [, , invited, joining] = acceptance.args;
        const userId = "person" in invited ? invited.person.userId : invited.userId;
        const person = await stores().directory.getPerson(userId);
        expect(person !== undefined || removals().has(userId)).toBe(found === undefined);
        await expectEvent(joining, found === undefined);
      }
    });
  });
}
