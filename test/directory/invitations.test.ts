import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { sha256base64url } from "#sha256";
import { knownToOperator } from "../../lib/directory/person.ts";
import type { Acceptance } from "../../lib/stores/invitations.ts";
import { ISSUER } from "../support/in-process.ts";
import { accept, COOKIE, cookieOf, type Organization, secretOf, send, signedIn, startOrganization } from "./people.ts";

const DAY = 86_400_000;
let organization: Organization;
beforeEach(async () => {
  organization = await startOrganization();
});
afterEach(() => organization.product.close());

test("an owner invites somebody, who sees into what and as what, joins, and is signed in", async () => {
  const { owner, product, organizationId } = organization;
  const created = await owner.call("POST", "/invitations", { email: " Bob@Example.com", role: "member" });
  expect([created.status, created.headers.get("Cache-Control")]).toEqual([201, "no-store"]);
  const { link, ...invitation } = created.body;
  expect(link).toMatch(new RegExp(`^${ISSUER}/console/invitation#token=[\\w-]{43}$`));
  expect(invitation).toEqual({
    invitationId: expect.stringMatching(/^inv_[0-9a-f-]{36}$/),
    ...{ email: "bob@example.com", role: "member", invitedBy: owner.userId },
    createdAt: new Date(product.clock.now()).toISOString(),
    expiresAt: new Date(product.clock.now() + 7 * DAY).toISOString(),
  });
  const token = secretOf(link);
  const { expiresAt } = invitation;
  expect((await preview(token)).body).toEqual({
    organization: "Example",
    ...{ email: "bob@example.com", role: "member", expiresAt },
  });

  const accepted = await accept(product, token);
  expect(accepted.body).toEqual({
    userId: expect.stringMatching(/^user_/),
    email: "bob@example.com",
    organizations: [{ organizationId, name: "Example", role: "member" }],
  });
  const me = await send(product, "GET", "/me", undefined, { Cookie: cookieOf(accepted) });
  expect(me.body).toMatchObject({ email: "bob@example.com", role: "member", organizationId });
  expect((await owner.call("GET", "/invitations")).body).toEqual({ items: [] });
});

test("the link is in one answer alone, and its secret in no store, no audit record and no log line", async () => {
  const { owner, product, organizationId } = organization;
  const token = await organization.invitation("bob@example.com");
  const listed = await owner.call("GET", "/invitations");
  expect(listed.body.items).toHaveLength(1);
  await preview(token);
  await accept(product, token);
  const { auditLog, invitations } = product.dependencies.stores;
  expect(await invitations.findInvitation(token, product.clock.now())).toBeUndefined();
  const records = await auditLog.query({ organizationId }, { limit: 100 });
  const seen = JSON.stringify([listed.body, records.items, product.logs]);
  expect(seen).toContain("member.invited");
  expect(seen).not.toContain(token);
  expect(seen).not.toContain(sha256base64url(token));
});

test("what happens to invitations is in the organization's audit log", async () => {
  const { owner, product, organizationId } = organization;
  const bob = await organization.joined("bob@example.com", "owner");
  await organization.invitation("carol@example.com");
  const [{ invitationId }] = (await owner.call("GET", "/invitations")).body.items;
  const revoked = await owner.call("DELETE", `/invitations/${invitationId}`);
  const { items } = await product.dependencies.stores.auditLog.query({ organizationId }, { limit: 100 });
  const recorded = (type: string, actor: string) => items.filter((item) => item.type === type && item.actor === actor);
  const [added] = recorded("member.added", bob.userId);
  const [signIn] = recorded("sign_in.succeeded", bob.userId);
  const [gone] = recorded("invitation.revoked", owner.userId);
  const [invited] = recorded("member.invited", owner.userId).filter(({ details }) => details?.role === "owner");
  expect(gone).toMatchObject({
    actor: owner.userId,
    details: { invitationId },
    requestId: revoked.headers.get("X-Request-Id"),
  });
  expect(invited).toMatchObject({ actor: owner.userId, details: { role: "owner", invitationId: expect.any(String) } });
  expect(added).toMatchObject({ actor: bob.userId, user: bob.userId, details: invited?.details });
  expect(signIn).toMatchObject({ actor: bob.userId, details: { method: "invitation" } });
});

describe("an invitation", () => {
  test("is used up by one of 20 who come at once", async () => {
    const token = await organization.invitation("bob@example.com");
    const answers = await Promise.all(Array.from({ length: 20 }, () => accept(organization.product, token)));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(answers.flatMap(({ headers }) => headers.getSetCookie())).toHaveLength(1);
    expect(await statuses(token)).toEqual([404, 404]);
  });

  test("is over after seven days", async () => {
    const { product, owner } = organization;
    const token = await organization.invitation("bob@example.com");
    product.clock.set(product.clock.now() + 7 * DAY - 1);
    expect((await preview(token)).status).toBe(200);
    product.clock.set(product.clock.now() + 1);
    expect(await statuses(token)).toEqual([404, 404]);
    expect((await (await signedIn(product, owner.userId)).call("GET", "/invitations")).body).toEqual({ items: [] });
  });

  test("is over once it is revoked, which works once", async () => {
    const { owner } = organization;
    const token = await organization.invitation("bob@example.com");
    const [{ invitationId }] = (await owner.call("GET", "/invitations")).body.items;
    expect((await owner.call("DELETE", `/invitations/${invitationId}`)).status).toBe(204);
    expect((await owner.call("DELETE", `/invitations/${invitationId}`)).status).toBe(404);
    expect(await statuses(token)).toEqual([404, 404]);
  });

  test("is over once whoever made it is no owner any more: nobody who leaves keeps a way back", async () => {
    const { owner, product } = organization;
    const bob = await organization.joined("bob@example.com", "owner");
    const { body } = await bob.call("POST", "/invitations", { email: "bob2@example.com", role: "owner" });
    expect((await owner.call("GET", "/invitations")).body.items).toHaveLength(1);
    await owner.call("PATCH", `/members/${bob.userId}`, { role: "member" });
    expect((await owner.call("GET", "/invitations")).body.items).toEqual([]);
    expect(await statuses(secretOf(body.link))).toEqual([404, 404]);
    await owner.call("DELETE", `/members/${bob.userId}`);
    expect((await accept(product, secretOf(body.link))).status).toBe(404);
  });

  test("49. tells nobody whether a person has the address elsewhere, and takes it from nobody", async () => {
    const { product, owner } = organization;
    const other = await anotherOrganization();
    const [known, unknown] = [await other.invite("owner2@example.com"), await other.invite("nobody@example.com")];
    const token = await other.invite("owner2@example.com");
    const owner2 = await organization.joined("owner2@example.com");
    const [one, two] = [await accept(product, known), await accept(product, unknown)];
    expect([one.status, Object.keys(one.body)]).toEqual([two.status, Object.keys(two.body)]);
    expect([one.status, one.body.userId === owner2.userId]).toEqual([200, false]);
    expect((await owner2.call("GET", "/me")).body).toMatchObject({ email: "owner2@example.com" });
    // Whoever made the other one is no operator's owner either: its own organization's person is meant.
    expect(await knownToOperator(product.dependencies, "owner2@example.com")).toEqual([owner2.userId]);
    // Organizations that somebody joined at the same moment come in any order.
    product.clock.set(product.clock.now() + 1);
    const accepted = await accept(product, token, owner2.cookie);
    expect(accepted.headers.getSetCookie()).toEqual([]);
    expect(accepted.body).toMatchObject({
      userId: owner2.userId,
      organizations: [{ name: "Example" }, { organizationId: other.organizationId, role: "member" }],
    });
    expect((await owner2.call("GET", "/me")).status).toBe(200);
    expect(owner.userId).not.toBe(owner2.userId);
  });

  test("is accepted as themselves by whoever is signed in, whatever the address", async () => {
    const bob = await organization.joined("bob@example.com");
    const other = await anotherOrganization();
    const accepted = await accept(organization.product, await other.invite("bob@elsewhere.example"), bob.cookie);
    expect(accepted.body).toMatchObject({ userId: bob.userId, email: "bob@example.com" });
    const { body } = await bob.call("GET", "/me", undefined, { "Countersign-Organization": other.organizationId });
    expect(body).toMatchObject({ organizationId: other.organizationId, role: "member" });
  });

  test("stays when a member tries to join again", async () => {
    const { owner, product } = organization;
    const token = await organization.invitation("bob@example.com");
    expect((await accept(product, token, owner.cookie)).status).toBe(409);
    expect((await preview(token)).status).toBe(200);
  });
});

test("a member's address is not invited again, an unknown one is as often as an owner likes", async () => {
  const { owner } = organization;
  const again = await owner.call("POST", "/invitations", { email: "OWNER@example.com", role: "member" });
  expect([again.status, again.body.type]).toEqual([409, "urn:countersign:problem:conflict"]);
  const [one, two] = [await organization.invitation("a@b.example"), await organization.invitation("a@b.example")];
  expect(one).not.toBe(two);
});

test.each([
  [{}, ["/email", "/role"]],
  [{ email: "nobody", role: "admin" }, ["/email", "/role"]],
  [{ email: "a@b.example", role: "owner", organizationId: "org_1" }, ["/organizationId"]],
])("%j is no invitation", async (body, pointers) => {
  const { status, body: problem } = await organization.owner.call("POST", "/invitations", body);
  expect([status, problem.errors.map(({ pointer }: { pointer: string }) => pointer)]).toEqual([422, pointers]);
});

test("49. two people of one organization with one address are both told to the operator", async () => {
  const { product } = organization;
  const [one, two] = [
    await organization.invitation("bob@example.com"),
    await organization.invitation("bob@example.com"),
  ];
  const joined = [await accept(product, one), await accept(product, two)];
  const known = await knownToOperator(product.dependencies, "bob@example.com");
  expect(known.toSorted()).toEqual(joined.map(({ body }) => body.userId).toSorted());
});

test("49. what a registry of another release answers is no acceptance: 503, and nobody is signed in", async () => {
  const other = await startOrganization({
    adapt: ({ stores, ...rest }) => {
      const acceptInvitation = () => Promise.resolve("email_taken" as Acceptance);
      return { ...rest, stores: { ...stores, invitations: { ...stores.invitations, acceptInvitation } } };
    },
  });
  const token = await other.invitation("bob@example.com");
  const answers = [await accept(other.product, token), await accept(other.product, token, other.owner.cookie)];
  expect(answers.map(({ status, headers }) => [status, headers.getSetCookie()])).toEqual([
    [503, []],
    [503, []],
  ]);
  await other.product.close();
});

test("33. whoever accepts gets a session of their own, whatever cookie somebody gave their browser", async () => {
  const token = await organization.invitation("bob@example.com");
  const planted = `${COOKIE}=${"A".repeat(43)}`;
  const accepted = await accept(organization.product, token, planted);
  expect(accepted.headers.getSetCookie()[0]).toMatch(
    /^__Host-countersign-console=[\w-]{43}; Max-Age=86400; Path=\/; Secure; HttpOnly; SameSite=Lax$/,
  );
  expect(cookieOf(accepted)).not.toBe(planted);
});

test("33. another site accepts no invitation and shows none", async () => {
  const { product, owner } = organization;
  const token = await organization.invitation("bob@example.com");
  const headers = { Cookie: owner.cookie, Origin: "https://elsewhere.example" };
  for (const path of ["/invitations/preview", "/invitations/accept"]) {
    expect((await send(product, "POST", path, { token }, headers)).status).toBe(403);
  }
  expect((await preview(token)).status).toBe(200);
});

test("guesses are refused alike, and recorded in bounded number", async () => {
  const { stores, refusals } = organization.product.dependencies;
  for (const token of ["A".repeat(43), "x", "é".repeat(43)]) expect(await statuses(token)).toEqual([404, 404]);
  for (let i = 0; i < 30; i++) await accept(organization.product, "A".repeat(43));
  organization.product.clock.set(organization.product.clock.now() + 1);
  await refusals.flush();
  const refused = await stores.auditLog.query({ organizationId: undefined, type: "sign_in.refused" }, { limit: 100 });
  const details = { method: "invitation" };
  expect(refused.items).toMatchObject([{ details, count: 35 }, { details }]);
});

/** Of previewing and of accepting. */
async function statuses(token: string): Promise<readonly number[]> {
  return [(await preview(token)).status, (await accept(organization.product, token)).status];
}

function preview(token: string) {
  return send(organization.product, "POST", "/invitations/preview", { token });
}

async function anotherOrganization() {
  const { owner, product } = organization;
  product.clock.set(product.clock.now() + 1);
  const { organizationId } = (await owner.call("POST", "/organizations", { name: "Another" })).body;
  const headers = { "Countersign-Organization": organizationId };
  const invite = async (email: string) =>
    secretOf((await owner.call("POST", "/invitations", { email, role: "member" }, headers)).body.link);
  return { organizationId, invite };
}
