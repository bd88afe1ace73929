import { afterEach, beforeEach, expect, test } from "vitest";
import { accept, COOKIE, type Organization, startOrganization } from "./people.ts";

let organization: Organization;
beforeEach(async () => {
  organization = await startOrganization();
});
afterEach(() => organization.product.close());

test("members see each other, the one who joined first in front, in pages", async () => {
  const { owner, product } = organization;
  product.clock.set(product.clock.now() + 1);
  const bob = await organization.joined("bob@example.com");
  const { body } = await bob.call("GET", "/members");
  const joinedAt = expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
  expect(body).toEqual({
    items: [
      { userId: owner.userId, email: "owner@example.com", role: "owner", joinedAt, isYou: false },
      { userId: bob.userId, email: "bob@example.com", role: "member", joinedAt, isYou: true },
    ],
  });
  const first = (await bob.call("GET", "/members?limit=1")).body;
  const second = (await bob.call("GET", `/members?limit=1&cursor=${encodeURIComponent(first.nextCursor)}`)).body;
  expect([...first.items, ...second.items]).toEqual(body.items);
});

test("a role holds from the member's next request on, and is recorded once", async () => {
  const { owner, product, organizationId } = organization;
  const bob = await organization.joined("bob@example.com");
  const change = (role: string) => owner.call("PATCH", `/members/${bob.userId}`, { role });
  expect((await bob.call("GET", "/invitations")).status).toBe(403);
  expect(await change("owner")).toMatchObject({ status: 200, body: { userId: bob.userId, role: "owner" } });
  expect((await change("owner")).status).toBe(200);
  expect((await bob.call("GET", "/invitations")).status).toBe(200);
  expect((await change("member")).body).toMatchObject({ email: "bob@example.com", role: "member", isYou: false });
  expect((await bob.call("GET", "/invitations")).status).toBe(403);
  const { items } = await product.dependencies.stores.auditLog.query(
    { organizationId, type: "member.role_changed" },
    { limit: 10 },
  );
  expect(items.map(({ details }) => details?.role).toSorted()).toEqual(["member", "owner"]);
  expect(items[0]).toMatchObject({ actor: owner.userId, user: bob.userId, outcome: "success" });
});

test("whoever is removed is out with the next request, and can be invited again", async () => {
  const { owner, product, organizationId } = organization;
  const bob = await organization.joined("bob@example.com");
  expect((await owner.call("DELETE", `/members/${bob.userId}`)).status).toBe(204);
  expect((await bob.call("GET", "/me")).status).toBe(401);
  expect((await owner.call("DELETE", `/members/${bob.userId}`)).status).toBe(404);
  const again = await organization.joined("bob@example.com");
  expect(again.userId).not.toBe(bob.userId);
  const { items } = await product.dependencies.stores.auditLog.query(
    { organizationId, type: "member.removed" },
    { limit: 10 },
  );
  const names = { [owner.userId]: "owner@example.com", [bob.userId]: "bob@example.com" };
  expect(items).toMatchObject([{ actor: owner.userId, user: bob.userId, names }]);
});

test("a member leaves alone, and whoever leaves the last organization is signed out", async () => {
  const bob = await organization.joined("bob@example.com");
  const carol = await organization.joined("carol@example.com");
  expect((await bob.call("DELETE", `/members/${carol.userId}`)).status).toBe(403);
  const left = await bob.call("DELETE", `/members/${bob.userId}`);
  expect(left.status).toBe(204);
  expect(left.headers.getSetCookie()).toEqual([`${COOKIE}=; Max-Age=0; Path=/; Secure; HttpOnly; SameSite=Lax`]);
  expect((await bob.call("GET", "/me")).status).toBe(401);
  expect((await carol.call("GET", "/me")).status).toBe(200);
});

test("an organization keeps one owner", async () => {
  const { owner } = organization;
  const path = `/members/${owner.userId}`;
  const refused = [await owner.call("DELETE", path), await owner.call("PATCH", path, { role: "member" })];
  expect(refused.map(({ status }) => status)).toEqual([409, 409]);
  expect(refused[0]?.body.detail).toContain("keeps one owner");
  const bob = await organization.joined("bob@example.com", "owner");
  const both = [owner.call("DELETE", path), bob.call("DELETE", `/members/${bob.userId}`)];
  expect((await Promise.all(both)).map(({ status }) => status).toSorted()).toEqual([204, 409]);
});

test("32. nobody of another organization is a member here, and no other text is", async () => {
  const { owner, product } = organization;
  product.clock.set(product.clock.now() + 1);
  const { organizationId } = (await owner.call("POST", "/organizations", { name: "Another" })).body;
  const bob = await organization.joined("bob@example.com");
  const there = { "Countersign-Organization": organizationId };
  const others = [bob.userId, "user_00000000-0000-4000-8000-000000000000", "user_1", "%00", "x".repeat(2_000)];
  for (const userId of others) {
    expect((await owner.call("DELETE", `/members/${userId}`, undefined, there)).status).toBe(404);
    expect((await owner.call("PATCH", `/members/${userId}`, { role: "owner" }, there)).status).toBe(404);
  }
  expect((await bob.call("GET", "/members", undefined, there)).status).toBe(404);
});

test("a role is owner or member, and nothing else is changed", async () => {
  const { owner } = organization;
  const bob = await organization.joined("bob@example.com");
  const path = `/members/${bob.userId}`;
  for (const body of [{}, { role: "admin" }, { role: ["owner"] }, { role: "owner", email: "x@y.example" }]) {
    expect((await owner.call("PATCH", path, body)).status).toBe(422);
  }
  expect((await owner.call("PATCH", path, [])).status).toBe(400);
  expect((await bob.call("GET", "/me")).body).toMatchObject({ role: "member" });
});

test("an invitation that comes too late makes nobody of whoever was forgotten", async () => {
  const bob = await organization.joined("bob@example.com");
  const token = await organization.invitation("bob2@example.com");
  await organization.owner.call("DELETE", `/members/${bob.userId}`);
  const accepted = await accept(organization.product, token, bob.cookie);
  expect(accepted.body).toMatchObject({ email: "bob2@example.com" });
  expect(accepted.body.userId).not.toBe(bob.userId);
});
