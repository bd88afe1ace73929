import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openBundle } from "../../lib/deployment/bundle.ts";
import { showDocument, TOOLS_BYTES } from "../../lib/deployment/document.ts";
import { DRAFT_BYTES } from "../../lib/deployment/drafts.ts";
import { bundleOf, latestRevision } from "../../lib/deployment/records.ts";
import { versioned } from "../deployment/bundles.ts";
import { addedPasskey } from "./own-records.ts";
import { startWorld, type World } from "./people.ts";

let world: World;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world.product.close());

const API = "/api/v1/deployment";
const CORP = 'name: corp, type: oidc, oauthClientID: "{{ env.ID }}", oidcWellKnownURL: "https://a.example/x"';

const call = async (method: string, path: string, who: keyof World["callers"], body?: unknown, more = {}) => {
  const headers = {
    ...{ ...(await world.callers[who].credentials()), origin: "https://us.example", ...more },
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

const LATE = expect.stringMatching(/recent_sign_in_required$/);
const deployments = () => world.product.dependencies.stores.deployments;
const next = async () => latestRevision(await deployments().readDeployment()) + 1;
const artifact = async (version: string, more?: string) =>
  JSON.stringify({ ...(await versioned(version, more)), published: undefined });

describe("81. where instances sign, people publish at the Console", () => {
  test("a compiled configuration, which the instance signs and uses", async () => {
    expect((await call("GET", "", "a member")).body).toMatchObject({ signing: "service" });
    for (const [who, by] of [
      ["an owner", "owner@example.com"],
      ["an API client with every permission", /^client_/],
    ] as const) {
      const revision = await next();
      const text = await artifact(`by ${who}`);
      const made = await call("POST", "/revisions", who, { artifact: text, revision, reason: "it was time" });
      expect(made).toMatchObject({ status: 201, body: { revision, reason: "it was time", isKept: true } });
      expect(made.body.publishedBy).toMatch(by);
      expect((await call("GET", "", "a member")).body).toMatchObject({ highest: revision, active: { revision } });
      const kept = (await deployments().readDeployment()).published.at(-1);
      const settings = world.product.dependencies.deployment?.settings;
      const bytes = await bundleOf(deployments(), kept as never);
      expect([...bytes.subarray(0, 2)]).toEqual([0x1f, 0x8b]);
      const opened = await openBundle(bytes, settings?.keys ?? new Map());
      expect(opened).toMatchObject({ deployment: "production", region: "us", revision, artifact: text });
    }
  });

  test("never over a revision that they have not seen, and nothing that instances would refuse", async () => {
    const revision = await next();
    const text = await artifact("refused");
    const before = (await call("GET", "/revisions", "an owner")).body;
    const secretText = await artifact("hidden", `connectors: [{${CORP}, oauthClientSecret: (a secret)}]`);
    const cases: readonly (readonly [unknown, number, RegExp])[] = [
      [{ artifact: text, revision: revision - 1 }, 409, new RegExp(`the next one is ${revision}`)],
      [{ artifact: text, revision: revision + 1 }, 409, new RegExp(`the next one is ${revision}`)],
      [{ artifact: "{}", revision }, 422, /no compiled configuration of format 1/],
      [{ artifact: "%", revision }, 422, /is no JSON/],
      [{ artifact: 1, revision }, 422, /must be the text of a compiled configuration/],
      [{ artifact: text }, 422, /must be a revision/],
      [{ artifact: text, revision, bundle: "e30=" }, 422, /is not a field here/],
      [{ artifact: text, revision, reason: "a".repeat(501) }, 422, /must have 1 to 500 characters/],
      [
        { artifact: secretText, revision },
        422,
        /"connectors\[0\]\.oauthClientSecret: \(a secret\) stands in the place of a secret/,
      ],
    ];
    for (const [given, status, message] of cases) {
      const answer = await call("POST", "/revisions", "an owner", given);
      expect([answer.status, JSON.stringify(answer.body)]).toEqual([status, expect.stringMatching(message)]);
    }
    expect((await call("GET", "/revisions", "an owner")).body).toEqual(before);
  });

  test("of two who publish the same revision at once, one does", async () => {
    const revision = await next();
    const texts = await Promise.all(["one", "two"].map((version) => artifact(version)));
    const answers = await Promise.all(
      texts.map((text) => call("POST", "/revisions", "an owner", { artifact: text, revision })),
    );
    // The other finds it taken before it is judged, or when it is kept, or in use already.
    expect(answers.map(({ status }) => status).filter((status) => status === 201)).toHaveLength(1);
  });

  test("what a former revision had again, with a reason", async () => {
    const to = await next();
    await call("POST", "/revisions", "an owner", { artifact: await artifact("good"), revision: to });
    await call("POST", "/revisions", "an owner", { artifact: await artifact("bad"), revision: to + 1 });
    const answer = await call("POST", "/rollback", "an owner", { to, revision: to + 2, reason: "it was bad" });
    expect(answer).toMatchObject({ status: 201, body: { revision: to + 2, rollbackOf: to, reason: "it was bad" } });
    const { body } = await call("GET", `/revisions/${to + 2}/changes?from=${to}`, "a member");
    expect(body).toEqual({ items: [], hazards: [] });
    const { items } = await world.product.dependencies.stores.auditLog.query(
      { organizationId: world.organizationId, type: "config.published" },
      { limit: 50 },
    );
    const record = items.find(({ details }) => details?.deploymentRevision === String(to + 2));
    expect(record?.details).toMatchObject({ rollbackOf: String(to), reason: "it was bad" });
    const rows: readonly (readonly [object, number])[] = [
      [{ to, revision: to + 2, reason: "again" }, 409],
      [{ to: 1_000_000, revision: to + 3, reason: "again" }, 404],
      [{ to, revision: to + 3 }, 422],
      [{ to, revision: to + 3, reason: " " }, 422],
    ];
    for (const [given, status] of rows)
      expect((await call("POST", "/rollback", "an owner", given)).status).toBe(status);
    expect((await call("POST", "/rollback", "a member", rows[0]?.[0])).status).toBe(403);
  });

  test("after a proof of who they are; API clients give none", async () => {
    const { clock } = world.product;
    const start = clock.now();
    const headers = { ...(await world.callers["an owner"].credentials()), origin: "https://us.example" };
    clock.set(start + 600_001);
    const post = async (path: string, body: object) => {
      const sent = { method: "POST", headers: { ...headers, "content-type": "application/json" } };
      const answer = await world.product.send(API + path, { ...sent, body: JSON.stringify(body) });
      return { status: answer.status, body: (await answer.json()) as object };
    };
    const revision = await next();
    const late = { status: 403, body: { type: LATE } };
    expect(await post("/revisions", { artifact: await artifact("late"), revision })).toMatchObject(late);
    expect(await post("/rollback", { to: revision - 1, revision, reason: "late" })).toMatchObject(late);
    const given = { artifact: await artifact("client"), revision };
    expect((await call("POST", "/revisions", "an API client with every permission", given)).status).toBe(201);
    clock.set(start);
    await addedPasskey(world, world.ownerId);
    const answer = await call("POST", "/rollback", "an owner", { to: revision, revision: revision + 1, reason: "r" });
    expect(answer).toMatchObject({ status: 403, body: { type: LATE } });
    expect(answer.body.detail).toBe(
      "Sign in with your passkey: configurations can be published for 10 minutes after that.",
    );
  });

  test("only where they are told to: elsewhere the answer says how", async () => {
    const other = await startWorld({ signing: "operator" });
    const headers = {
      ...{ ...(await other.callers["an owner"].credentials()), origin: "https://us.example" },
      "content-type": "application/json",
    };
    const bodies = { "/revisions": { artifact: "{}", revision: 1 }, "/rollback": { to: 1, revision: 2, reason: "r" } };
    for (const [path, body] of Object.entries(bodies)) {
      const answer = await other.product.send(API + path, { method: "POST", headers, body: JSON.stringify(body) });
      expect([answer.status, await answer.text()]).toEqual([409, expect.stringContaining("use countersign publish")]);
    }
    const shown = await other.product.send(API, { headers });
    expect(await shown.json()).toMatchObject({ signing: "operator" });
    await other.product.close();
  });
});

describe("81. a draft", () => {
  test("is one for all owners, and each change is of what its author has read", async () => {
    expect((await call("GET", "/draft", "an owner")).status).toBe(404);
    const made = await call("PUT", "/draft", "an owner", { text: "version: ü", basedOn: 3 });
    expect(made).toMatchObject({ status: 200, body: { text: "version: ü", basedOn: 3, savedBy: "owner@example.com" } });
    expect(made.tag).toBe(`"${made.body.version}"`);
    expect(await call("GET", "/draft", "an owner")).toEqual(made);
    expect((await call("PUT", "/draft", "an owner", { text: "other" })).status).toBe(409);
    const tag = { "if-match": made.tag };
    const who = "an API client with every permission";
    const second = await call("PUT", "/draft", who, { text: "second" }, tag);
    expect(second).toMatchObject({ status: 200, body: { text: "second" } });
    expect(second.body).not.toHaveProperty("basedOn");
    for (const method of ["PUT", "DELETE"])
      expect((await call(method, "/draft", "an owner", method === "PUT" ? { text: "x" } : undefined, tag)).status).toBe(
        412,
      );
    expect((await call("GET", "/draft", "an owner")).body).toEqual(second.body);
    expect((await call("DELETE", "/draft", "an owner", undefined, { "if-match": second.tag })).status).toBe(204);
    expect((await call("GET", "/draft", "an owner")).status).toBe(404);
    expect((await call("DELETE", "/draft", "an owner")).status).toBe(404);
    // Another one never has the version of one that is gone.
    const third = await call("PUT", "/draft", "an owner", { text: "third" });
    expect((await call("PUT", "/draft", "an owner", { text: "x" }, { "if-match": second.tag })).status).toBe(412);
    expect((await call("GET", "/draft", "an owner")).body).toEqual(third.body);
    await call("DELETE", "/draft", "an owner");
  });

  test("may have a megabyte, and no more; what it no longer has is dropped", async () => {
    const longest = "ü".repeat(DRAFT_BYTES / 2);
    const made = await call("PUT", "/draft", "an owner", { text: longest });
    expect(made.status).toBe(200);
    expect((await call("GET", "/draft", "an owner")).body.text === longest).toBe(true);
    const name = (await deployments().readDeployment()).draft?.name ?? "";
    const tag = { "if-match": made.tag };
    for (const text of [`${longest}a`, "", 5, "\ud800"])
      expect((await call("PUT", "/draft", "an owner", { text }, tag)).status).toBe(422);
    expect((await call("PUT", "/draft", "an owner", { text: "x", basedOn: 0 }, tag)).status).toBe(422);
    expect((await call("PUT", "/draft", "an owner", { text: "short" }, tag)).status).toBe(200);
    for (const number of [0, 4]) expect(await deployments().piece(name, number)).toBe(undefined);
    await call("DELETE", "/draft", "an owner");
  });

  test("shows nothing to members, who may not see its secrets", async () => {
    await call("PUT", "/draft", "an owner", { text: "secret" });
    for (const path of ["/draft", "/document"]) {
      expect((await call("GET", path, "a member")).status).toBe(403);
      expect((await call("GET", path, "an API client without permissions")).status).toBe(403);
      expect((await call("GET", path, "an owner of another organization")).status).toBe(403);
    }
    expect((await call("PUT", "/draft", "a member", { text: "x" })).status).toBe(403);
    await call("DELETE", "/draft", "an owner");
  });

  test("starts with the latest document, secrets by their references, or not at all", async () => {
    const revision = await next();
    const more = `connectors: [{${CORP}, oauthClientSecret: <v.s>}]\nconsole: {setupToken: in the document itself}`;
    const given = { artifact: await artifact("doc", more), revision };
    await call("POST", "/revisions", "an API client with every permission", given);
    const { status, body } = await call("GET", "/document", "an owner");
    expect([status, body.revision, body.hidden]).toEqual([200, revision, ["console.setupToken"]]);
    expect(body.document).toMatchObject({
      version: "doc",
      connectors: [{ oauthClientID: "{{ env.ID }}", oauthClientSecret: "<v.s>" }],
      console: { setupToken: "(a secret)" },
    });
    expect((await call("GET", "/document?tools=true", "an owner")).body).toEqual({ ...body, catalogs: {} });
    const unmasked = { version: "kept", console: { setupToken: "in the document itself" } };
    const kept = JSON.parse(await artifact("kept"));
    kept.document.console = { setupToken: "(a secret)" };
    const unchanged = { artifact: JSON.stringify(kept), revision: revision + 1, force: ["no-connectors"] };
    expect((await call("POST", "/revisions", "an API client with every permission", unchanged)).status).toBe(201);
    expect(world.product.dependencies.deployment?.artifact().document).toMatchObject(unmasked);
    const { body: changes } = await call("GET", `/revisions/${revision + 1}/changes`, "an owner");
    expect(JSON.stringify(changes)).not.toContain("setupToken");
    const catalogs = { books: { tools: [], topics: { all: "ü".repeat(TOOLS_BYTES / 2) } } };
    const large = { ...JSON.parse(await artifact("large")), catalogs };
    const stores = { deployments: { readDeployment: async () => ({ published: [] }) } };
    const shown = await showDocument({ stores, deployment: { settings: {}, artifact: () => large } } as never, true);
    expect(shown).not.toHaveProperty("tools");
    expect(shown).toMatchObject({ document: { version: "large" } });
  });
});
