import { afterAll, beforeAll, expect, test } from "vitest";
import { createApiClient, deleteApiClient } from "../../lib/api-clients/administration.ts";
import type { AuditEventList } from "../../lib/management/schemas/audit-events.ts";
import type { Trial } from "../../lib/management/schemas/tools.ts";
import { placeStop } from "../../lib/stops/change-stops.ts";
import { personId } from "../../lib/stores/identities.ts";
import { TOOL } from "../management/example-calls.ts";
import { CONNECTOR, GATEWAY, type ManagedOptions, startManaged } from "../management/instance.ts";
import { linkedIdentity } from "../management/own-records.ts";
import { type Caller, startWorld, type World } from "../management/people.ts";
import { PROVIDER } from "../support/in-process.ts";

/** To try a tool, and to list what there is. */
const TRIALS = `/api/v1/tools/${TOOL}/trials`;
const LISTING = "/api/v1/trials";

let world: World;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world.product.close());

async function tried(caller: Caller, body: object = {}, more: Record<string, string> = {}, at = world, of = TRIALS) {
  const answer = await at.product.send(of, {
    method: "POST",
    headers: { "Content-Type": "application/json", ...(await caller.credentials()), ...more },
    body: JSON.stringify(body),
  });
  return { status: answer.status, body: (await answer.json()) as Trial & { readonly detail: string } };
}

/** Of a member who has linked an account. */
async function member(at = world): Promise<Caller & { readonly userId: string; readonly subject: string }> {
  const userId = await at.newMember();
  const subject = personId({ issuer: "https://corp.example", subject: await linkedIdentity(at, userId) });
  return { userId, subject, credentials: async () => ({ Cookie: await at.cookieOf(userId) }) };
}

function call(token: string): Promise<Response> {
  return world.product.send("/mcp", {
    method: "POST",
    headers: {
      Authorization: `Bearer ${token}`,
      "Content-Type": "application/json",
      Accept: "application/json, text/event-stream",
    },
    body: JSON.stringify({
      ...{ jsonrpc: "2.0", id: 1, method: "tools/call" },
      params: { name: TOOL, arguments: {} },
    }),
  });
}

async function records(query: Record<string, string>): Promise<AuditEventList["items"]> {
  const headers = await world.callers["an owner"].credentials();
  const answer = await world.product.send(`/api/v1/audit-events?${new URLSearchParams(query)}`, { headers });
  return ((await answer.json()) as AuditEventList).items;
}

const newClient = (resources: readonly string[] = [GATEWAY], organizationId = world.organizationId) =>
  createApiClient(
    world.product.dependencies,
    { id: world.ownerId, organizationId },
    { name: "a client", scopes: ["notes:read", "audit:read"], resources },
  );

test("32. a member tries a tool as an agent of theirs could, for five minutes, and who tried it is recorded", async () => {
  const caller = await member();
  const { status, body } = await tried(caller);
  expect([status, body]).toEqual([
    201,
    {
      accessToken: expect.stringMatching(/^cst_us_/),
      url: GATEWAY,
      expiresAt: new Date(world.product.clock.now() + 300_000).toISOString(),
      claims: {
        ...{ iss: PROVIDER.issuer, sub: caller.subject, client_id: "countersign-console", aud: GATEWAY },
        ...{ scope: "notes:read", exp: world.product.clock.now() / 1_000 + 300 },
      },
    },
  ]);
  expect((await call(body.accessToken)).status).toBe(200);
  const whose = { actor: caller.userId, user: caller.subject, agent: "countersign-console", tool: TOOL };
  const [issued] = await records({ type: "token.issued", actor: caller.userId });
  expect(issued).toMatchObject({ ...whose, details: { trial: caller.userId, audience: GATEWAY } });
  const [made] = await records({ type: "tool.invoked", actor: caller.userId });
  expect(made).toMatchObject({ ...whose, details: { trial: caller.userId } });
  expect(JSON.stringify([issued, made, ...world.product.logs])).not.toContain(body.accessToken);
});

test("32. the token is for the gateway alone, and for nobody once it has expired", async () => {
  const { accessToken } = (await tried(await member())).body;
  const Authorization = `Bearer ${accessToken}`;
  const elsewhere = { "/api/v1/tools": 401, "/api/v1/me": 401, "/oauth2/userinfo": 403 };
  for (const [path, status] of Object.entries(elsewhere)) {
    expect([path, (await world.product.send(path, { headers: { Authorization } })).status]).toEqual([path, status]);
  }
  const now = world.product.clock.now();
  world.product.clock.set(now + 299_999);
  expect((await call(accessToken)).status).toBe(200);
  world.product.clock.set(now + 300_000);
  expect((await call(accessToken)).status).toBe(401);
});

test("32. a member lists tools with the same token, whose issue is recorded without a tool", async () => {
  const caller = await member();
  const { status, body } = await tried(caller, {}, {}, world, LISTING);
  expect([status, body.claims]).toMatchObject([201, { sub: caller.subject, aud: GATEWAY, scope: "notes:read" }]);
  expect((await call(body.accessToken)).status).toBe(200);
  const [issued] = await records({ type: "token.issued", actor: caller.userId });
  expect(issued).toMatchObject({ agent: "countersign-console", details: { trial: caller.userId } });
  expect(issued).not.toHaveProperty("tool");
});

test.each([TRIALS, LISTING])("32. a member does not call as an API client: %s", async (of) => {
  const { clientId } = await newClient();
  expect((await tried(await member(), { clientId }, {}, world, of)).status).toBe(403);
});

test("32. an owner calls as an API client of the organization, with its scopes and under the owner's name", async () => {
  const { clientId } = await newClient();
  const owner = world.callers["an owner"];
  const { status, body } = await tried(owner, { clientId });
  expect([status, body.claims]).toMatchObject([
    201,
    { sub: clientId, client_id: clientId, aud: GATEWAY, scope: "notes:read" },
  ]);
  expect((await call(body.accessToken)).status).toBe(200);
  const [made] = await records({ type: "tool.invoked", agent: clientId });
  expect(made).toMatchObject({ actor: world.ownerId, agent: clientId, details: { trial: world.ownerId } });
  expect(made?.user).toBeUndefined();
});

test("32. nobody calls as an API client of another organization, or as one that gets no token for the gateway", async () => {
  const owner = world.callers["an owner"];
  const theirs = await newClient([GATEWAY], "org_elsewhere");
  expect((await tried(owner, { clientId: theirs.clientId })).status).toBe(404);
  expect((await tried(owner, { clientId: theirs.clientId }, {}, world, LISTING)).status).toBe(404);
  expect((await tried(owner, { clientId: "nobody" })).status).toBe(404);
  expect((await tried(owner, { clientId: (await newClient([])).clientId })).status).toBe(409);
  expect((await tried(owner, { clientId: "" })).status).toBe(422);
  expect((await tried(world.callers["an owner of another organization"])).status).toBe(404);
});

test("32. a client's trials end with the client, and there are none while it is stopped", async () => {
  const { dependencies } = world.product;
  const owner = world.callers["an owner"];
  const actor = { id: world.ownerId, organizationId: world.organizationId, requestId: "request" };
  const gone = (await newClient()).clientId;
  const { accessToken } = (await tried(owner, { clientId: gone })).body;
  await deleteApiClient(dependencies, actor, { clientId: gone }, { revokeTokens: true });
  expect((await call(accessToken)).status).toBe(401);
  const { clientId: id } = await newClient();
  await placeStop(dependencies, actor, { kind: "api_client", id, state: "suspended", reason: "It did harm." });
  expect((await tried(owner, { clientId: id })).status).toBe(409);
});

test.each([TRIALS, LISTING])("33. another site does not make a browser ask for a trial: %s", async (of) => {
  const caller = await member();
  expect((await tried(caller, {}, { Origin: "https://evil.example" }, world, of)).status).toBe(403);
  expect((await tried(caller, {}, { "Sec-Fetch-Site": "cross-site" }, world, of)).status).toBe(403);
  expect((await tried(caller, {}, { "Content-Type": "text/plain" }, world, of)).status).toBe(403);
});

test("32. who has linked no account that agents' people sign in with does not try as themselves", async () => {
  const userId = await world.newMember();
  const caller = { userId, credentials: async () => ({ Cookie: await world.cookieOf(userId) }) };
  expect((await tried(caller)).status).toBe(409);
});

const WITHOUT: readonly (readonly [string, () => Promise<NonNullable<ManagedOptions["configuration"]>>])[] = [
  [
    "agents' tokens tell what the sign-in told",
    async () => withRegistration({ claimsMapping: { mail: `${CONNECTOR}.mail` } }),
  ],
  ["people sign in elsewhere for agents", async () => withRegistration({ connectors: [] })],
  ["no agent comes to the gateway", async () => withRegistration({ allowedAudiences: ["https://other.example"] })],
  ["the playground is off", async () => ({ console: { ...(await current()).console, playground: false } })],
];

test.each(WITHOUT)("32. nobody tries as themselves where %s", async (_, configuration) => {
  const elsewhere = await startWorld({ configuration: await configuration() });
  const { status, body } = await tried(await member(elsewhere), {}, {}, elsewhere);
  expect([status, body.accessToken]).toEqual([409, undefined]);
  await elsewhere.product.close();
});

/** What the instance of these tests is configured with. */
async function current() {
  const started = await startManaged();
  await started.close();
  return started.dependencies.configuration().configuration;
}

async function withRegistration(more: Partial<typeof PROVIDER.registration>) {
  const { oidcProvider } = await current();
  if (oidcProvider === undefined) throw new Error("there is no authorization server");
  return { oidcProvider: { ...oidcProvider, registration: { ...oidcProvider.registration, ...more } } };
}
