import { afterEach, beforeEach, expect, test } from "vitest";
import { invitation, memberEvent } from "../contract/member-records.ts";
import { type Organization, signedIn, startOrganization } from "./people.ts";

/** As many as can be open. */
const MOST = 200;
let organization: Organization;
beforeEach(async () => {
  organization = await startOrganization();
});
afterEach(() => organization.product.close());

/** Open ones that the person made. */
async function invitationsOf(invitedBy: string): Promise<void> {
  const { product, organizationId } = organization;
  const createdAt = product.clock.now();
  for (let count = 0; count < MOST; count++) {
    await product.dependencies.stores.invitations.createInvitation(
      invitation(organizationId, { invitedBy, createdAt }),
      memberEvent("member.invited", organizationId),
    );
  }
}

const invite = () => organization.owner.call("POST", "/invitations", { email: "new@example.com", role: "member" });
const listed = async () => (await organization.owner.call("GET", "/invitations")).body.items;

test("an owner who was one cannot keep the others from inviting: what nobody can accept makes room", async () => {
  const { owner } = organization;
  const bob = await organization.joined("bob@example.com", "owner");
  await invitationsOf(bob.userId);
  expect((await invite()).status).toBe(409);
  await owner.call("PATCH", `/members/${bob.userId}`, { role: "member" });
  expect(await listed()).toEqual([]);
  const { status, body } = await invite();
  expect(status).toBe(201);
  expect(await listed()).toMatchObject([{ invitationId: body.invitationId }]);
  const revoked = (await owner.call("GET", "/audit-events?type=invitation.revoked")).body.items;
  expect(revoked).toMatchObject([{ actor: owner.userId }]);
});

test("no more invitations are open than a list shows", async () => {
  await invitationsOf(organization.owner.userId);
  const { status, body } = await invite();
  expect([status, body.detail]).toEqual([409, "200 invitations are open. Revoke those that nobody needs."]);
  expect(await listed()).toHaveLength(MOST);
});

test("an invitation that is over cannot be revoked, and no record says so", async () => {
  const { owner, product } = organization;
  const { body } = await invite();
  product.clock.set(Date.parse(body.expiresAt));
  const later = await signedIn(product, owner.userId);
  expect((await later.call("DELETE", `/invitations/${body.invitationId}`)).status).toBe(404);
  expect((await later.call("GET", "/audit-events?type=invitation.revoked")).body.items).toEqual([]);
});
