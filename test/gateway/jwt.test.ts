import { createHmac } from "node:crypto";
import { describe, expect, test } from "vitest";
import { base64url, utf8 } from "../../lib/kernel/encoding.ts";
import { CLIENT } from "./authorization-server.ts";
import { RESOURCE, trusted } from "./started.ts";
import { withGateway } from "./with-gateway.ts";

const it = withGateway();
const good = { aud: RESOURCE, scope: "notes:read" };
const seconds = (offset: number) => Math.floor(it.gateway.dependencies.clock.now() / 1000) + offset;
const jwksFetches = () => it.gateway.fetched.filter((url) => url.endsWith("/jwks")).length;

describe("JWT access tokens of another server", () => {
  test("a token that the server issued for this resource opens the tools its scope allows", async () => {
    const token = await it.server.token(RESOURCE, "jwt");
    const response = await it.gateway.call("getNote", { noteId: "1" }, token);
    expect(response.status).toBe(200);
    expect(await response.text()).toContain("Hello.");
    const { items } = await it.gateway.dependencies.stores.auditLog.query(await own(), { limit: 10 });
    expect(items[0]).toMatchObject({ type: "tool.invoked", agent: CLIENT.id, outcome: "success" });
    expect(items[0]?.user).toBeUndefined();
  });

  test("a token of an agent that acts for a person names both", async () => {
    const act = { sub: "agent-2", act: { sub: "agent-1" } };
    const token = await it.server.sign({ ...good, sub: "alice", client_id: "agent-2", act });
    await (await it.gateway.call("getNote", { noteId: "1" }, token)).text();
    const { items } = await it.gateway.dependencies.stores.auditLog.query(await own(), { limit: 10 });
    expect(items[0]).toMatchObject({ agent: "agent-2", user: "alice", actChain: ["agent-2", "agent-1"] });
  });

  test("39. calls of two agents at once are recorded as theirs", async () => {
    const agents = ["one", "two", "three"];
    const tokens = await Promise.all(
      agents.map((client_id) => it.server.sign({ ...good, client_id, sub: `user-${client_id}` })),
    );
    await Promise.all(tokens.map(async (token) => (await it.gateway.call("getNote", { noteId: "1" }, token)).text()));
    const { items } = await it.gateway.dependencies.stores.auditLog.query(await own(), { limit: 10 });
    expect(items.map(({ agent, user }) => `${agent} ${user}`).sort()).toEqual([
      "one user-one",
      "three user-three",
      "two user-two",
    ]);
  });

  test("the metadata names the issuer of the discovery document", async () => {
    const response = await it.gateway.send("/.well-known/oauth-protected-resource");
    expect(await response.json()).toMatchObject({ resource: RESOURCE, authorization_servers: [it.server.issuer] });
    it.server.failWith(500);
    await it.restart({});
    const again = await it.gateway.send("/.well-known/oauth-protected-resource");
    expect(await again.json()).toMatchObject({ authorization_servers: [it.server.issuer] });
  });

  test.each([
    ["another audience", { aud: "https://other.example" }],
    ["no audience", { aud: undefined }],
    ["another issuer", { iss: "https://evil.example" }],
    ["an expiry in the past", { exp: 1 }],
    ["no expiry", { exp: undefined }],
    ["a start in the future", { nbf: 4_000_000_000 }],
    ["no client", { client_id: undefined }],
    ["a key it is bound to", { cnf: { jkt: "x" } }],
    ["the marks of an ID token", { nonce: "n" }],
  ])("23. a token with %s is refused", async (_, claims) => {
    expect(await it.statusOf(await it.server.sign({ ...good, ...claims }))).toBe(401);
  });

  test.each(["client-authentication+jwt", "logout+jwt", "dpop+jwt", "secevent+jwt", "token-introspection+jwt"])(
    "6. a JWT of the type %s is no access token",
    async (typ) => {
      expect(await it.statusOf(await it.server.sign(good, { typ }))).toBe(401);
    },
  );

  test.each(["at+jwt", "application/at+jwt", "JWT", undefined])("a JWT of the type %s is one", async (typ) => {
    expect(await it.statusOf(await it.server.sign(good, { typ }))).toBe(200);
  });

  test("one audience of several is enough", async () => {
    expect(await it.statusOf(await it.server.sign({ ...good, aud: ["https://other.example", RESOURCE] }))).toBe(200);
  });

  test("tokens without signature, or signed with the public key as a secret, are refused", async () => {
    const [, payload = ""] = (await it.server.sign(good)).split(".");
    const encode = (header: object) => base64url(utf8(JSON.stringify(header)));
    expect(await it.statusOf(`${encode({ alg: "none" })}.${payload}.`)).toBe(401);
    const jwks = await (await fetch(`${it.server.issuer}/jwks`)).text();
    const input = `${encode({ alg: "HS256" })}.${payload}`;
    expect(await it.statusOf(`${input}.${createHmac("sha256", jwks).update(input).digest("base64url")}`)).toBe(401);
    const tampered = (await it.server.sign(good)).replace(/..$/, (end) => (end === "AA" ? "BB" : "AA"));
    expect(await it.statusOf(tampered)).toBe(401);
  });

  test("the clock skew of the configuration counts, and not a second more", async () => {
    await it.restart({ servers: [trusted(it.server.wellKnown, { clockSkew: 30_000 })] });
    expect(await it.statusOf(await it.server.sign({ ...good, exp: seconds(-29) }))).toBe(200);
    expect(await it.statusOf(await it.server.sign({ ...good, exp: seconds(-31) }))).toBe(401);
    expect(await it.statusOf(await it.server.sign({ ...good, nbf: seconds(29) }))).toBe(200);
    expect(await it.statusOf(await it.server.sign({ ...good, nbf: seconds(32) }))).toBe(401);
  });

  test("a rotated key is learnt at once, and many unknown keys cause a bounded number of fetches", async () => {
    expect(await it.statusOf(await it.server.sign(good))).toBe(200);
    expect(jwksFetches()).toBe(1);
    await it.server.rotate();
    expect(await it.statusOf(await it.server.sign(good))).toBe(200);
    expect(jwksFetches()).toBe(2);
    for (let n = 0; n < 20; n++)
      expect(await it.statusOf(await it.server.sign(good, { kid: `unknown-${n}` }))).toBe(401);
    expect(jwksFetches()).toBe(2 + 10);
  });

  test("old keys go when the refresh interval is over", async () => {
    await it.restart({ servers: [trusted(it.server.wellKnown, { refreshInterval: 60_000 })] });
    const old = await it.server.sign({ ...good, exp: seconds(3_600) });
    expect(await it.statusOf(old)).toBe(200);
    await it.server.rotate();
    it.gateway.clock.set(it.gateway.clock.now() + 61_000);
    await it.statusOf(old);
    await expect.poll(() => it.statusOf(old)).toBe(401);
  });

  test("23. the server of an unlisted issuer is never asked", async () => {
    await it.statusOf(await it.server.sign(good));
    const before = it.gateway.fetched.length;
    expect(await it.statusOf(await it.server.sign({ ...good, iss: "http://127.0.0.1:9" }))).toBe(401);
    // The accepted call above goes on to the API when its answer's headers are out already.
    const asked = it.gateway.fetched.slice(before).filter((url) => !url.startsWith(it.upstream.url));
    expect(asked).toEqual([]);
  });

  test("a server that cannot be asked is 503, not a reason to throw the token away", async () => {
    it.server.failWith(500);
    const response = await it.gateway.call("getNote", { noteId: "1" }, await it.server.sign(good));
    expect(response.status).toBe(503);
    expect(response.headers.get("retry-after")).toBe("5");
    it.server.failWith(undefined);
    it.gateway.clock.set(it.gateway.clock.now() + 5_000);
    expect(await it.statusOf(await it.server.sign(good))).toBe(200);
  });

  test("24. the token does not reach the API, and no log line holds it", async () => {
    const token = await it.server.token(RESOURCE, "jwt");
    await (await it.gateway.call("getNote", { noteId: "1" }, token)).text();
    const [, , signature = "?"] = token.split(".");
    expect(JSON.stringify(it.upstream.requests)).not.toContain(signature);
    expect(it.gateway.logs.join("\n")).not.toContain(signature);
  });
});

async function own() {
  const organization = await it.gateway.dependencies.stores.directory.firstOrganization();
  return { organizationId: organization?.organizationId, type: "tool.invoked" };
}
