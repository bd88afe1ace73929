import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { createApiClient } from "../../lib/api-clients/administration.ts";
import { addKeyPair } from "../../lib/api-clients/key-pairs.ts";
import { digestOf } from "../../lib/deployment/bundle.ts";
import { keyGiving } from "../../lib/deployment/proposers.ts";
import { latestRevision } from "../../lib/deployment/records.ts";
import { changeRole } from "../../lib/directory/members.ts";
import { base64 } from "../../lib/kernel/encoding.ts";
import { ulid } from "../../lib/kernel/ids.ts";
import type { AuditEvent, AuditLog } from "../../lib/stores/audit-log.ts";
import { versioned } from "../deployment/bundles.ts";
import { type Caller, startWorld, type World } from "./people.ts";

let world: World;
let second: Caller;
beforeAll(async () => {
  world = await startWorld({ approvals: 2 });
  second = await owner();
});
afterAll(() => world.product.close());
afterEach(() => call("DELETE", "/proposal", world.callers["an owner"]));

const API = "/api/v1/deployment";
const DAY = 86_400_000;

const owner = async (): Promise<Caller & { readonly userId: string }> => {
  const userId = await world.newMember("owner");
  return { userId, credentials: async () => ({ Cookie: await world.cookieOf(userId) }) };
};
const call = async (method: string, path: string, who: Caller, body?: unknown, more = {}) => {
  const headers = {
    ...{ ...(await who.credentials()), origin: "https://us.example", ...more },
    ...(body !== undefined && { "content-type": "application/json" }),
  };
  const answer = await world.product.send(API + path, {
    ...{ method, headers },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const text = await answer.text();
  const tag = answer.headers.get("etag");
  return { status: answer.status, tag, body: (text === "" ? {} : JSON.parse(text)) as Record<string, unknown> };
};
const deployments = () => world.product.dependencies.stores.deployments;
const next = async () => latestRevision(await deployments().readDeployment()) + 1;
const artifact = async (version: string, more?: string) =>
  JSON.stringify({ ...(await versioned(version, more)), published: undefined });
const propose = async (who: Caller, version: string, more: object = {}, document?: string) => {
  const text = await artifact(version, document);
  return call("POST", "/revisions", who, { artifact: text, revision: await next(), ...more });
};
const approve = (who: Caller, { digest }: Record<string, unknown>, more = {}) =>
  call("POST", "/proposal/approve", who, { digest }, more);
const recorded = async (type: string) => {
  const filter = { organizationId: world.organizationId, type };
  return (await world.product.dependencies.stores.auditLog.query(filter, { limit: 1 })).items[0];
};
const pieceOf = async (name: string | undefined) => deployments().piece(name ?? "", 0);

describe("81. where it takes two people to publish", () => {
  test("what one owner proposes is published once another one has approved it", async () => {
    const first = world.callers["an owner"];
    expect((await call("GET", "", first)).body).toMatchObject({ signing: "service", approvals: 2 });
    const revision = await next();
    const made = await propose(first, "proposed", { reason: "It is time", revision });
    const digest = await digestOf(await artifact("proposed"));
    const said = { revision, digest, reason: "It is time", proposedBy: "owner@example.com", by: world.ownerId };
    expect(made).toMatchObject({ status: 202, body: { ...said, restart: false } });
    expect(made.tag).toBe(`"${made.body.version}"`);
    expect(await next()).toBe(revision);
    expect((await call("GET", "", first)).body).toMatchObject({ proposal: made.body.version });
    expect(await recorded("config.proposed")).toMatchObject({
      actor: world.ownerId,
      details: { deploymentRevision: String(revision), digest, proposedBy: "owner@example.com", reason: "It is time" },
    });
    const { name } = (await deployments().readDeployment()).proposal ?? {};
    expect(await pieceOf(name)).toBeDefined();

    const shown = await call("GET", "/proposal", second);
    expect(shown).toMatchObject({
      status: 200,
      tag: made.tag,
      body: { ...made.body, hazards: [], force: [], hidden: [] },
    });
    expect(shown.body.document).toMatchObject({ version: "proposed" });
    expect(shown.body.changes).toEqual([{ path: "version", from: expect.any(String), to: '"proposed"' }]);
    // Members are not shown what it says.
    expect((await call("GET", "/proposal", world.callers["a member"])).body).toEqual(made.body);

    expect(await approve(first, made.body)).toMatchObject({
      status: 403,
      body: { detail: "You have proposed it: another owner has to approve it." },
    });
    expect((await approve(second, { digest: "0".repeat(64) })).status).toBe(409);
    expect((await approve(second, made.body, { "if-match": '"999999"' })).status).toBe(412);
    const published = await approve(second, made.body, { "if-match": made.tag });
    const approvedBy = expect.stringMatching(/@/);
    expect(published).toMatchObject({
      status: 201,
      body: { revision, digest, reason: "It is time", publishedBy: "owner@example.com", by: second.userId, approvedBy },
    });
    expect(published.body.approvedBy).not.toBe("owner@example.com");
    expect((await call("GET", "", first)).body).toMatchObject({ active: { revision } });
    expect((await call("GET", "", first)).body).not.toHaveProperty("proposal");
    expect(await recorded("config.published")).toMatchObject({
      actor: second.userId,
      details: { publishedBy: "owner@example.com", proposedBy: world.ownerId },
    });
    expect((await call("GET", "/proposal", second)).status).toBe(404);
    expect((await approve(second, made.body)).status).toBe(404);
    expect(await pieceOf(name)).toBe(undefined);

    const back = { to: revision, revision: revision + 1, reason: "It was better" };
    const proposed = await call("POST", "/rollback", second, back);
    expect(proposed).toMatchObject({ status: 202, body: { rollbackOf: revision, digest } });
    expect(await approve(first, proposed.body)).toMatchObject({ status: 201, body: { rollbackOf: revision } });
  });

  test("there is one proposal, which any owner withdraws, and nothing that instances would refuse is one", async () => {
    const first = world.callers["an owner"];
    const refused = await call("POST", "/revisions", first, { artifact: "{}", revision: await next() });
    expect(refused).toMatchObject({ status: 422, body: { errors: [{ pointer: "/artifact" }] } });
    expect((await call("GET", "/proposal", first)).status).toBe(404);
    const made = await propose(first, "one");
    const { name } = (await deployments().readDeployment()).proposal ?? {};
    const other = await propose(second, "other");
    expect(other).toMatchObject({
      status: 409,
      body: { detail: expect.stringContaining("owner@example.com has proposed") },
    });
    for (const who of ["a member", "an API client without permissions", "an owner of another organization"] as const) {
      expect((await call("DELETE", "/proposal", world.callers[who])).status).toBe(403);
      expect((await approve(world.callers[who], made.body)).status).toBe(403);
    }
    expect((await call("DELETE", "/proposal", second, undefined, { "if-match": '"999999"' })).status).toBe(412);
    expect((await call("DELETE", "/proposal", second, undefined, { "if-match": made.tag })).status).toBe(204);
    expect(await recorded("config.proposalWithdrawn")).toMatchObject({
      actor: second.userId,
      details: { digest: made.body.digest, proposedBy: "owner@example.com" },
    });
    expect(await pieceOf(name)).toBe(undefined);
    expect((await call("DELETE", "/proposal", second)).status).toBe(404);
    expect((await approve(second, made.body)).status).toBe(404);
    for (const body of [{}, { digest: 1 }, { digest: "d", more: 1 }])
      expect((await call("POST", "/proposal/approve", second, body)).status).toBe(422);
    const answers = await Promise.all(Array.from({ length: 5 }, (_, number) => propose(first, `at once ${number}`)));
    expect(answers.map(({ status }) => status).sort()).toEqual([202, 409, 409, 409, 409]);
  });

  test("of two approvals at the same time one publishes", async () => {
    const third = await owner();
    const revision = await next();
    const { body } = await propose(world.callers["an owner"], "approved twice");
    const answers = await Promise.all([approve(second, body), approve(third, body)]);
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409]);
    expect(await next()).toBe(revision + 1);
  });

  test("what takes protection away is shown with the words for it, and needs them of its proposer", async () => {
    const first = world.callers["an owner"];
    const CONNECTOR =
      'connectors: [{name: corp, type: oidc, oauthClientID: c, oidcWellKnownURL: "https://a.example/x", oauthClientSecret: s}]';
    const guarded = await propose(first, "with a connector", {}, CONNECTOR);
    expect((await call("GET", "/proposal", second)).body).toMatchObject({
      hidden: ["connectors[0].oauthClientSecret"],
      document: { connectors: [{ oauthClientSecret: "(a secret)" }] },
    });
    expect((await approve(second, guarded.body)).status).toBe(201);
    expect(await propose(first, "without")).toMatchObject({ status: 422, body: { errors: [{ pointer: "/force" }] } });
    const meant = await propose(first, "without", { force: ["no-connectors"], restart: true });
    expect(meant).toMatchObject({ status: 202, body: { restart: true } });
    const { body } = await call("GET", "/proposal", second);
    const what = "removes the last connector at which people sign in";
    expect(body).toMatchObject({ force: ["no-connectors"], hazards: [{ word: "no-connectors", what }] });
    expect((await approve(second, meant.body)).status).toBe(201);
  });

  test("what its artifact says of itself and not of its document is refused, in words", async () => {
    const first = world.callers["an owner"];
    const hidden = { path: ["console", "enabled"], parts: [{ text: "true" }], line: 1, column: 1 };
    for (const more of [
      { placeholders: [null] },
      { placeholders: [hidden] },
      { catalogs: { ghost: null } },
      { positions: { version: null } },
    ]) {
      const text = JSON.stringify({ ...JSON.parse(await artifact("by hand")), ...more });
      const answer = await call("POST", "/revisions", first, { artifact: text, revision: await next() });
      const detail = expect.stringMatching(/^The bundle holds what compiling a configuration does not give: /);
      expect(answer).toMatchObject({ status: 422, body: { errors: [{ pointer: "/artifact", detail }] } });
    }
    expect((await call("GET", "/proposal", first)).status).toBe(404);
  });

  test("API clients propose, a person approves: not who has given the client its key", async () => {
    const client = world.callers["an API client with every permission"];
    const made = await propose(client, "by a client");
    expect(made).toMatchObject({ status: 202, body: { by: expect.stringMatching(/^client_/) } });
    expect((await call("GET", "/proposal", client)).body).toHaveProperty("document");
    expect((await approve(client, made.body)).status).toBe(403);
    const actor = { id: second.userId ?? "", organizationId: world.organizationId };
    await addKeyPair(world.product.dependencies, actor, { clientId: String(made.body.by) });
    expect(await approve(second, made.body)).toMatchObject({
      status: 403,
      body: { detail: expect.stringContaining("You have given a key to the API client") },
    });
    expect((await approve(await owner(), made.body)).status).toBe(201);
    // It may withdraw what it has proposed.
    expect((await propose(client, "another")).status).toBe(202);
    expect((await call("DELETE", "/proposal", client)).status).toBe(204);
  });

  test("who has given a client its key is found among what many others were given, and through other clients", async () => {
    const { dependencies } = world.product;
    const { organizationId, ownerId } = world;
    const actor = (id: string) => ({ id, organizationId });
    const clients = await Promise.all(
      Array.from({ length: 3 }, (_, number) => createApiClient(dependencies, actor(ownerId), { name: `c${number}` })),
    );
    const [proposer, helper, other] = clients.map(({ clientId }) => clientId) as [string, string, string];
    const filter = { organizationId, type: "key_pair.added" };
    const around = await dependencies.stores.auditLog.query(filter, { limit: 1 });
    expect(around.items).not.toEqual([]);
    await addKeyPair(dependencies, actor(ownerId), { clientId: helper });
    await addKeyPair(dependencies, actor(helper), { clientId: proposer });
    const [first, third] = [ownerId, (await owner()).userId];
    expect(await keyGiving(dependencies, first, proposer)).toBe("given");
    expect(await keyGiving(dependencies, third, proposer)).toBe("not given");
    expect(await keyGiving(dependencies, first, third)).toBe("not given");
    // More than anybody gives by hand.
    const template = around.items[0] as AuditEvent;
    const { clock } = world.product;
    const { keyPair } = await addKeyPair(dependencies, actor(third), { clientId: other });
    await Promise.all(
      Array.from({ length: 2_100 }, (_, number) =>
        dependencies.stores.auditLog.append({
          ...template,
          ...{ id: ulid(clock.now() + 60_000 + number, dependencies.random), time: clock.now() + 60_000 + number },
          actor: first,
        }),
      ),
    );
    expect(await keyGiving(dependencies, third, other)).toBe("given");
    expect(await keyGiving(dependencies, first, other)).toBe("not given");
    const forgetful = {
      stores: {
        ...dependencies.stores,
        auditLog: {
          query: async (...asked: Parameters<AuditLog["query"]>) => {
            const { items, ...page } = await dependencies.stores.auditLog.query(...asked);
            return { ...page, items: items.filter(({ details }) => details?.keyPairId !== keyPair.keyPairId) };
          },
        },
      },
    };
    expect(await keyGiving(forgetful, first, other)).toBe("unknown");
    expect(await keyGiving(forgetful, first, "client_gone")).toBe("unknown");
  });

  test("it is void once its proposer is no owner any more, or something else was published, and over after a week", async () => {
    const first = world.callers["an owner"];
    const third = await owner();
    const made = await propose(third, "of somebody who leaves");
    const actor = { id: world.ownerId, organizationId: world.organizationId };
    await changeRole(world.product.dependencies, actor, third.userId, { role: "member" });
    expect(await approve(second, made.body)).toMatchObject({
      status: 409,
      body: { detail: expect.stringContaining("may not publish any more") },
    });
    expect((await call("GET", "/proposal", second)).body.void).toContain("may not publish any more");

    // Nobody waits for it: another one takes its place.
    const late = await propose(first, "late");
    expect(late.status).toBe(202);
    expect((await call("GET", "/proposal", first)).body).not.toHaveProperty("void");
    const { bytes } = await world.product.newBundle();
    expect((await call("POST", "/revisions", second, { bundle: base64(bytes) })).status).toBe(201);
    expect(await approve(second, late.body)).toMatchObject({
      status: 409,
      body: { detail: expect.stringContaining("was published meanwhile") },
    });

    const kept = await propose(first, "forgotten");
    expect(kept.status).toBe(202);
    const { clock } = world.product;
    const start = clock.now();
    clock.set(start + 7 * DAY);
    expect((await call("GET", "/proposal", second)).status).toBe(404);
    expect((await call("GET", "", second)).body).not.toHaveProperty("proposal");
    expect((await approve(second, kept.body)).status).toBe(404);
    expect((await propose(second, "after it")).status).toBe(202);
    expect((await call("DELETE", "/proposal", second)).status).toBe(204);
    clock.set(start);
  });

  test("who approves has signed in lately, as who publishes", async () => {
    const first = world.callers["an owner"];
    const { clock } = world.product;
    const start = clock.now();
    const [early, earlySecond] = [await first.credentials(), await second.credentials()];
    clock.set(start + 600_001);
    const late = { status: 403, body: { type: expect.stringMatching(/recent_sign_in_required$/) } };
    expect(await propose({ credentials: async () => early }, "late")).toMatchObject(late);
    const { body } = await propose(first, "in time");
    const tired: Caller = { credentials: async () => earlySecond };
    expect(await approve(tired, body)).toMatchObject(late);
    expect((await call("GET", "/proposal", second)).status).toBe(200);
    // To withdraw takes no proof.
    expect((await call("DELETE", "/proposal", tired)).status).toBe(204);
    clock.set(start);
  });
});
