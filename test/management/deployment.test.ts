import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { base64 } from "../../lib/kernel/encoding.ts";
import { publisher, versioned } from "../deployment/bundles.ts";
import { startWorld, type World } from "./people.ts";

let world: World;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world.product.close());

const call = async (method: string, path: string, who: keyof World["callers"], body?: unknown) => {
  const headers = {
    ...(await world.callers[who].credentials()),
    origin: "https://us.example",
    ...(body !== undefined && { "content-type": "application/json" }),
  };
  const answer = await world.product.send(`/api/v1/deployment${path}`, {
    ...{ method, headers },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  return { status: answer.status, body: (await answer.json()) as Record<string, unknown> };
};
const bundle = async (more = "") => {
  const { revision, bytes } = await world.product.newBundle(more);
  return { revision, body: { bundle: base64(bytes) } };
};

describe("81. the management API", () => {
  test("takes a signed bundle, uses it, and says who published what", async () => {
    const { revision, body } = await bundle();
    const made = await call("POST", "/revisions", "an API client with every permission", body);
    expect(made).toMatchObject({ status: 201, body: { revision, publishedBy: "ci", isKept: true } });
    expect(made.body.by).toMatch(/^client_/);
    const shown = await call("GET", "", "a member");
    expect(shown.body).toMatchObject({
      deployment: "production",
      source: "store:",
      highest: revision,
      active: { revision },
    });
    const { body: listed } = await call("GET", "/revisions", "a member");
    expect((listed.items as readonly unknown[])[0]).toEqual(made.body);
    const { items } = await world.product.dependencies.stores.auditLog.query(
      { organizationId: world.organizationId, type: "config.published" },
      { limit: 1 },
    );
    expect(items).toMatchObject([{ actor: made.body.by, details: { deploymentRevision: String(revision) } }]);
    const next = await bundle();
    expect((await call("POST", "/revisions", "an owner", next.body)).status).toBe(201);
    const changes = await call("GET", `/revisions/${next.revision}/changes`, "a member");
    expect(changes.body).toEqual({
      items: [{ path: "version", from: `"${revision}"`, to: `"${next.revision}"` }],
      hazards: [],
    });
  });

  test("refuses what instances would refuse, in their words, and keeps nothing of it", async () => {
    const { body } = await bundle();
    expect((await call("POST", "/revisions", "an owner", body)).status).toBe(201);
    const before = (await call("GET", "/revisions", "an owner")).body;
    const others = await publisher();
    const artifact = await versioned("of another publisher");
    const cases: readonly (readonly [unknown, number, RegExp])[] = [
      [body, 422, /was in use already, and only a higher one follows it/],
      [{ bundle: base64(await others.bundle(artifact, { revision: 999 })) }, 422, /none of this instance's/],
      [{ bundle: "e30=" }, 422, /is no JWS/],
      [{ bundle: "%" }, 422, /must be the base64 of a bundle/],
      [{}, 422, /must be the base64/],
      [{ bundle: "e30=", more: 1 }, 422, /more/],
      [{ bundle: "e30=", restart: "yes" }, 422, /must be true or false/],
      [{ bundle: "A".repeat(3_200_000) }, 413, /at most 3100000 bytes/],
    ];
    for (const [given, status, message] of cases) {
      const answer = await call("POST", "/revisions", "an owner", given);
      expect([answer.status, JSON.stringify(answer.body)]).toEqual([status, expect.stringMatching(message)]);
    }
    expect((await call("GET", "/revisions", "an owner")).body).toEqual(before);
  });

  test("takes what takes protection away only by the words for it", async () => {
    const guarded = await bundle(
      'connectors: [{name: corp, type: oidc, oauthClientID: c, oidcWellKnownURL: "https://a.example/x"}]',
    );
    expect((await call("POST", "/revisions", "an owner", guarded.body)).status).toBe(201);
    const { body, revision } = await bundle();
    const post = (force: unknown) => call("POST", "/revisions", "an owner", { ...body, force });
    const detail =
      "The bundle removes the last connector at which people sign in. If that is meant, publish it with -force no-connectors.";
    for (const force of [undefined, [], ["no-console"]]) {
      const errors = [{ pointer: "/force", detail }];
      expect(await post(force)).toMatchObject({ status: 422, body: { detail, errors } });
    }
    expect(await post("no-connectors")).toMatchObject({ status: 422, body: { errors: [{ pointer: "/force" }] } });
    expect((await post(["no-connectors"])).status).toBe(201);
    const { body: shown } = await call("GET", `/revisions/${revision}/changes`, "a member");
    expect(shown.hazards).toEqual([
      { word: "no-connectors", what: "removes the last connector at which people sign in" },
    ]);
  });

  test("has nothing for other organizations, and compares only what is kept", async () => {
    const { body } = await bundle();
    for (const [method, path, given] of [
      ["POST", "/revisions", body],
      ["GET", "", undefined],
      ["GET", "/revisions", undefined],
      ["GET", "/revisions/1/changes", undefined],
    ] as const)
      expect((await call(method, path, "an owner of another organization", given)).status).toBe(403);
    for (const path of ["/revisions/1000000/changes", "/revisions/x/changes", "/revisions/1/changes?from=1000000"])
      expect((await call("GET", path, "a member")).status).toBe(404);
    expect((await call("GET", "/revisions/1/changes?from=x", "a member")).status).toBe(422);
  });
});
