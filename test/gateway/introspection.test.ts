import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import type { McpAuthorizationServer } from "../../lib/config/configuration.ts";
import { startUpstream, type Upstream } from "../support/upstream.ts";
import { CLIENT, startAuthorizationServer, type TestAuthorizationServer } from "./authorization-server.ts";
import { RESOURCE, type StartedGateway, startedGateway, trusted } from "./started.ts";

let server: TestAuthorizationServer;
let other: TestAuthorizationServer;
let upstream: Upstream;
let gateway: StartedGateway;

beforeAll(async () => {
  server = await startAuthorizationServer();
  other = await startAuthorizationServer();
  upstream = await startUpstream();
});
afterAll(async () => {
  await server.stop();
  await other.stop();
  await upstream.stop();
});
afterEach(async () => {
  server.failWith(undefined);
  await gateway.close();
});

const introspecting = (
  one: TestAuthorizationServer,
  more: Partial<NonNullable<McpAuthorizationServer["introspection"]>> = {},
  method: McpAuthorizationServer["method"] = "introspection",
) =>
  trusted(one.wellKnown, {
    method,
    introspection: { clientID: CLIENT.id, clientSecret: CLIENT.secret, timeout: 2_000, maxRetries: 2, ...more },
  });

const start = async (servers: readonly McpAuthorizationServer[], fetch?: typeof globalThis.fetch) => {
  gateway = await startedGateway(servers, upstream.url, fetch);
};
const statusOf = async (token: string) => (await gateway.call("getNote", { noteId: "1" }, token)).status;
const introspections = () => gateway.fetched.filter((url) => url.endsWith("/introspection")).length;

describe("opaque access tokens of another server", () => {
  test("a token that the server calls active and meant for us is accepted", async () => {
    await start([introspecting(server)]);
    expect(await statusOf(await server.token(RESOURCE, "opaque"))).toBe(200);
  });

  test("23. a token for another audience is refused, and so is an unknown one", async () => {
    await start([introspecting(server)]);
    expect(await statusOf(await server.token("https://other.example/api", "opaque"))).toBe(401);
    expect(await statusOf("never-issued")).toBe(401);
  });

  test("a positive answer holds for five seconds, a negative one not at all", async () => {
    await start([introspecting(server)]);
    const token = await server.token(RESOURCE, "opaque");
    expect(await statusOf(token)).toBe(200);
    await server.revoke(token);
    gateway.clock.set(gateway.clock.now() + 4_900);
    expect(await statusOf(token)).toBe(200);
    expect(introspections()).toBe(1);
    gateway.clock.set(gateway.clock.now() + 200);
    expect(await statusOf(token)).toBe(401);
    expect(await statusOf(token)).toBe(401);
    expect(introspections()).toBe(3);
  });

  test("a positive answer is never kept past the token's expiry", async () => {
    await start([introspecting(server)]);
    const token = await server.token(RESOURCE, "opaque");
    gateway.clock.set(gateway.clock.now() + 298_000);
    expect(await statusOf(token)).toBe(200);
    gateway.clock.set(gateway.clock.now() + 3_000);
    expect(await statusOf(token)).toBe(401);
  });

  test("a failing server is asked again as often as configured, then the answer is 503", async () => {
    await start([introspecting(server)]);
    expect(await statusOf(await server.token(RESOURCE, "opaque"))).toBe(200);
    const token = await server.token(RESOURCE, "opaque");
    const before = introspections();
    server.failWith(500);
    expect(await statusOf(token)).toBe(503);
    expect(introspections() - before).toBe(3);
  });

  test("a refusal of our own credentials is not repeated", async () => {
    await start([introspecting(server, { clientSecret: "wrong" })]);
    expect(await statusOf(await server.token(RESOURCE, "opaque"))).toBe(503);
    expect(introspections()).toBe(1);
    expect(gateway.logs.join("\n")).not.toContain("wrong");
  });

  test("23. no server is ever sent another server's token", async () => {
    const sent: string[] = [];
    const watching: typeof globalThis.fetch = (input, init) => {
      if (String(input).endsWith("/introspection")) sent.push(`${String(input)} ${String(init?.body)}`);
      return globalThis.fetch(input, init);
    };
    await start([introspecting(server, { tokenPrefix: "abc_" }), introspecting(other)], watching);
    await statusOf("abc_of-the-first");
    await statusOf("of-the-second");
    await statusOf(await other.sign({ aud: RESOURCE }));
    await statusOf(await server.sign({ aud: RESOURCE, iss: "https://unlisted.example" }));
    const to = (one: TestAuthorizationServer) => sent.filter((line) => line.startsWith(one.issuer));
    expect(to(server)).toEqual([expect.stringContaining("token=abc_of-the-first")]);
    expect(to(other)).toEqual([expect.stringContaining("token=of-the-second"), expect.stringContaining("token=ey")]);
  });

  test("without any server for its prefix a token is refused and goes nowhere", async () => {
    await start([introspecting(server, { tokenPrefix: "abc_" }), trusted(other.wellKnown)]);
    expect(await statusOf("xyz_token")).toBe(401);
    expect(gateway.fetched).toEqual([]);
  });
});

describe("the method auto", () => {
  test("a JWT is validated here, anything else by the server", async () => {
    await start([introspecting(server, {}, "auto")]);
    expect(await statusOf(await server.token(RESOURCE, "jwt"))).toBe(200);
    expect(introspections()).toBe(0);
    expect(await statusOf(await server.token(RESOURCE, "opaque"))).toBe(200);
    expect(introspections()).toBe(1);
  });

  test("a JWT under an unknown key is put to the server, one that is wrong is not", async () => {
    await start([introspecting(server, {}, "auto")]);
    expect(await statusOf(await server.sign({ aud: RESOURCE }, { kid: "unknown" }))).toBe(401);
    expect(introspections()).toBe(1);
    expect(await statusOf(await server.sign({ aud: "https://other.example" }))).toBe(401);
    expect(introspections()).toBe(1);
  });
});
