import { afterEach, beforeEach, expect, test } from "vitest";
import { application } from "../../functions/routes.ts";
import type { Dependencies } from "../../lib/application/dependencies.ts";
import { startBrowserSession } from "../../lib/directory/browser-sessions.ts";
import { setUp } from "../../lib/directory/setup.ts";
import { placeStop } from "../../lib/stops/change-stops.ts";
import { personId } from "../../lib/stores/identities.ts";
import { joined, memberEvent, person } from "../contract/member-records.ts";
import { auditEvent } from "../contract/records.ts";
import { CONSOLE } from "../support/configuration.ts";
import { openTestInstance, type TestInstance } from "./instance.ts";

const FIRST_TOKEN = "a setup token";
const NEW_TOKEN = "another setup token";
const OWNER = "ada@example.com";

let instance: TestInstance;
let userId: string;
beforeEach(async () => {
  instance = openTestInstance();
  const fields = { token: FIRST_TOKEN, organization: "Acme", email: OWNER };
  ({ userId } = (await setUp(instance.dependencies, fields, { requestId: "request", userAgent: undefined })).person);
});
afterEach(() => instance.close());

test("an owner whom the configuration names signs in again with a new setup token, once, and that is recorded", async () => {
  const response = await post({ token: NEW_TOKEN, email: "Ada@Example.com" });
  expect(response.status).toBe(200);
  expect(await response.json()).toMatchObject({
    userId,
    email: OWNER,
    organizations: [{ name: "Acme", role: "owner" }],
  });
  const cookie = response.headers.getSetCookie()[0]?.split(";")[0] as string;
  expect((await send("/api/v1/me", { headers: { Cookie: cookie } })).status).toBe(200);
  const { stores } = instance.dependencies;
  const organizationId = (await stores.directory.firstOrganization())?.organizationId;
  const { items } = await stores.auditLog.query({ organizationId, type: "sign_in.succeeded" }, { limit: 10 });
  expect(items).toMatchObject([{ reason: "recovered", actor: userId, user: userId, outcome: "success" }]);

  const again = await post({ token: NEW_TOKEN, email: OWNER });
  expect([again.status, again.headers.getSetCookie()]).toEqual([403, []]);
});

test("52. an owner whom somebody suspended, by whichever name, comes back with the setup token and nothing else", async () => {
  const { dependencies } = instance;
  const organizationId = (await dependencies.stores.directory.firstOrganization())?.organizationId ?? "";
  const account = { issuer: "https://idp.example", subject: "ada" };
  const { stores } = dependencies;
  const linked = { ...account, userId, connector: "corp", createdAt: 1 };
  await stores.identities.linkIdentity(linked, auditEvent({ type: "identity.linked", organizationId }));
  const eve = { id: "user_eve", organizationId };
  for (const name of [{ id: userId }, { id: personId(account) }, { id: account.subject, issuer: account.issuer }]) {
    const stop = { kind: "person", ...name, state: "suspended", reason: "I am the only owner now." };
    await placeStop(dependencies, eve, stop);
  }
  const begun = { method: "passkey", userAgent: undefined } as const;
  await expect(startBrowserSession(dependencies, userId, begun)).rejects.toMatchObject({ code: "forbidden" });
  const response = await post({ token: NEW_TOKEN, email: OWNER });
  expect(response.status).toBe(200);
  const cookie = response.headers.getSetCookie()[0]?.split(";")[0] as string;
  expect((await send("/api/v1/me", { headers: { Cookie: cookie } })).status).toBe(200);
  const { items } = await stores.auditLog.query({ organizationId, type: "stop.lifted" }, { limit: 10 });
  expect(items.map(({ actor }) => actor)).toEqual(Array(3).fill("setup token"));
});

test("of 20 parallel recoveries one signs in", async () => {
  const answers = await Promise.all(Array.from({ length: 20 }, () => post({ token: NEW_TOKEN, email: OWNER })));
  const statuses = answers.map(({ status }) => status).toSorted();
  expect(statuses).toEqual([200, ...Array(19).fill(403)]);
  expect(answers.flatMap(({ headers }) => headers.getSetCookie())).toHaveLength(1);
});

test("33. the token that made the owner does not recover the owner", async () => {
  const answer = await post({ token: FIRST_TOKEN, email: OWNER }, { setupToken: FIRST_TOKEN });
  expect([answer.status, answer.headers.getSetCookie()]).toEqual([403, []]);
});

test("33. a wrong token, another address and a configuration that recovers nobody sign nobody in", async () => {
  const organization = "Acme";
  const attempts = [
    post({ token: `${NEW_TOKEN}x`, email: OWNER }),
    post({ token: NEW_TOKEN, organization, email: "eve@example.com" }),
    post({ token: NEW_TOKEN, organization, email: OWNER }, { recoverOwner: undefined }),
    post({ token: NEW_TOKEN, organization, email: "eve@example.com" }, { recoverOwner: "eve@example.com" }),
  ];
  for (const answer of await Promise.all(attempts)) {
    expect([answer.status, answer.headers.getSetCookie()]).toEqual([403, []]);
  }
  expect((await post({ token: NEW_TOKEN, email: OWNER, role: "owner" })).status).toBe(422);
  // None of them used the token up.
  expect((await post({ token: NEW_TOKEN, email: OWNER })).status).toBe(200);
});

test("a member who is no owner is not recovered", async () => {
  const { directory } = instance.dependencies.stores;
  const memberships = async (id: string) =>
    (await directory.memberships(id)).map((membership) => ({ ...membership, role: "member" as const }));
  const answer = await post({ token: NEW_TOKEN, organization: "Acme", email: OWNER }, {}, { memberships });
  expect(answer.status).toBe(403);
});

test("49. of several people with the address the owner is recovered, and none where two are owners", async () => {
  const { stores, clock } = instance.dependencies;
  const organizationId = (await stores.directory.firstOrganization())?.organizationId ?? "";
  const namesake = person({ email: OWNER });
  await joined(stores, organizationId, "owner", namesake, clock.now() - 1);
  const answer = await post({ token: NEW_TOKEN, email: OWNER });
  expect([answer.status, answer.headers.getSetCookie()]).toEqual([403, []]);
  expect(instance.lines.join("\n")).toContain(namesake.userId);
  const event = memberEvent("member.role_changed", organizationId);
  await stores.members.changeRole({ organizationId, userId: namesake.userId }, "member", event);
  const recovered = await post({ token: NEW_TOKEN, email: OWNER });
  expect([recovered.status, await recovered.json()]).toMatchObject([200, { userId }]);
});

test("a recovery that the store cannot begin leaves the token as good as before", async () => {
  const createBrowserSession = () => Promise.reject(new Error("the store failed"));
  expect((await post({ token: NEW_TOKEN, email: OWNER }, {}, { createBrowserSession })).status).toBe(500);
  expect((await post({ token: NEW_TOKEN, email: OWNER })).status).toBe(200);
});

function post(
  body: object,
  console: { readonly setupToken?: string; readonly recoverOwner?: string | undefined } = {},
  directory: Partial<Dependencies["stores"]["directory"]> = {},
): Promise<Response> {
  const init = { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) };
  return send("/api/v1/setup", init, console, directory);
}

/** A request to the instance with another configuration, as after a deployment. */
async function send(
  path: string,
  init: RequestInit,
  console: { readonly setupToken?: string; readonly recoverOwner?: string | undefined } = {},
  directory: Partial<Dependencies["stores"]["directory"]> = {},
): Promise<Response> {
  const { dependencies } = instance;
  const { configuration } = dependencies.configuration();
  const { recoverOwner, setupToken } = { recoverOwner: OWNER, setupToken: NEW_TOKEN, ...console };
  const changed = { ...CONSOLE, enabled: true, baseURL: configuration.console.baseURL, setupToken };
  const snapshot = {
    revision: 1,
    configuration: {
      ...configuration,
      console: { ...changed, ...(recoverOwner !== undefined && { recoverOwner }) },
    },
  };
  const stores = { ...dependencies.stores, directory: { ...dependencies.stores.directory, ...directory } };
  const answer = application({ ...dependencies, stores, configuration: () => snapshot });
  const background: Promise<unknown>[] = [];
  const waitUntil = (work: Promise<unknown>) => void background.push(work);
  const response = await answer(new Request(`${configuration.publicURL}${path}`, init), {
    remoteAddress: "203.0.113.1",
    target: path,
    waitUntil,
  });
  await Promise.all(background);
  return response;
}
