import { afterEach, beforeEach, expect, test } from "vitest";
import type { Dependencies } from "../../lib/application/dependencies.ts";
import { createSignInLink } from "../../lib/directory/sign-in.ts";
import { accept, type Organization, type SignedInPerson, secretOf, send, startOrganization } from "./people.ts";

let organization: Organization;
let bob: SignedInPerson;
/** What happens between a look at the store and the change that follows. */
let meanwhile: () => Promise<unknown>;
beforeEach(async () => {
  meanwhile = async () => undefined;
  organization = await startOrganization({ adapt: withMeanwhile });
  bob = await organization.joined("bob@example.com", "owner");
});
afterEach(() => organization.product.close());

function withMeanwhile(dependencies: Dependencies): Dependencies {
  const { stores } = dependencies;
  const { createOrganization } = stores.members;
  const { acceptInvitation } = stores.invitations;
  Object.assign(stores.members, {
    createOrganization: async (...change: Parameters<typeof createOrganization>) => {
      await meanwhile();
      return createOrganization(...change);
    },
  });
  Object.assign(stores.invitations, {
    acceptInvitation: async (...change: Parameters<typeof acceptInvitation>) => {
      await meanwhile();
      return acceptInvitation(...change);
    },
  });
  return dependencies;
}

async function removeBob(): Promise<void> {
  const { owner, organizationId } = organization;
  const headers = { "Countersign-Organization": organizationId };
  expect((await owner.call("DELETE", `/members/${bob.userId}`, undefined, headers)).status).toBe(204);
}

/** An invitation of the first owner into an organization where nobody else is. */
async function invitationElsewhere(): Promise<string> {
  const { owner } = organization;
  const { organizationId } = (await owner.call("POST", "/organizations", { name: "Elsewhere" })).body;
  const headers = { "Countersign-Organization": organizationId };
  const invitation = { email: "somebody@example.com", role: "member" };
  return secretOf((await owner.call("POST", "/invitations", invitation, headers)).body.link);
}

test("whoever is removed at the moment of founding an organization founds none, and is told why", async () => {
  meanwhile = removeBob;
  const { status, body } = await bob.call("POST", "/organizations", { name: "Mine" });
  expect([status, body.detail]).toEqual([403, "You belong to no organization."]);
});

test("whoever is removed at the moment of accepting an invitation is told so, and accepts it as somebody new", async () => {
  const token = await invitationElsewhere();
  meanwhile = removeBob;
  const { status, body } = await accept(organization.product, token, bob.cookie);
  expect([status, body.detail]).toEqual([403, "You belong to no organization."]);
  meanwhile = async () => undefined;
  expect((await accept(organization.product, token, bob.cookie)).status).toBe(200);
});

test("33. what was left of somebody who is gone signs nobody in", async () => {
  const { dependencies } = organization.product;
  await removeBob();
  const { url } = await createSignInLink(dependencies, bob.userId, "operator:test");
  const { status, headers } = await send(organization.product, "POST", "/sign-in/link", { token: secretOf(url) });
  expect([status, headers.getSetCookie()]).toEqual([403, []]);
});
