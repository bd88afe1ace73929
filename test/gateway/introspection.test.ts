import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { McpAuthorizationServer } from "../../lib/config/configuration.ts";
import { CLIENT, startAuthorizationServer, type TestAuthorizationServer } from "./authorization-server.ts";
import { RESOURCE, trusted } from "./started.ts";
import { withGateway } from "./with-gateway.ts";

const it = withGateway();
let other: TestAuthorizationServer;

beforeAll(async () => {
  other = await startAuthorizationServer();
});
afterAll(() => other.stop());

const introspecting = (
  one: TestAuthorizationServer,
  more: Partial<NonNullable<McpAuthorizationServer["introspection"]>> = {},
  method: McpAuthorizationServer["method"] = "introspection",
) =>
  trusted(one.wellKnown, {
    method,
    introspection: { clientID: CLIENT.id, clientSecret: CLIENT.secret, timeout: 2_000, maxRetries: 2, ...more },
  });

const introspections = () => it.gateway.fetched.filter((url) => url.endsWith("/introspection")).length;

describe("opaque access tokens of another server", () => {
  test("a token that the server calls active and meant for us is accepted", async () => {
    await it.restart({ servers: [introspecting(it.server)] });
    expect(await it.statusOf(await it.server.token(RESOURCE, "opaque"))).toBe(200);
  });

  test("23. a token for another audience is refused, and so is an unknown one", async () => {
    await it.restart({ servers: [introspecting(it.server)] });
    expect(await it.statusOf(await it.server.token("https://other.example/api", "opaque"))).toBe(401);
    expect(await it.statusOf("never-issued")).toBe(401);
  });

  test("a positive answer holds for five seconds, a negative one not at all", async () => {
    await it.restart({ servers: [introspecting(it.server)] });
    const token = await it.server.token(RESOURCE, "opaque");
    expect(await it.statusOf(token)).toBe(200);
    await it.server.revoke(token);
    it.gateway.clock.set(it.gateway.clock.now() + 4_900);
    expect(await it.statusOf(token)).toBe(200);
    expect(introspections()).toBe(1);
    it.gateway.clock.set(it.gateway.clock.now() + 200);
    expect(await it.statusOf(token)).toBe(401);
    expect(await it.statusOf(token)).toBe(401);
    expect(introspections()).toBe(3);
  });

  test("a positive answer is never kept past the token's expiry", async () => {
    await it.restart({ servers: [introspecting(it.server)] });
    const token = await it.server.token(RESOURCE, "opaque");
    it.gateway.clock.set(it.gateway.clock.now() + 298_000);
    expect(await it.statusOf(token)).toBe(200);
    it.gateway.clock.set(it.gateway.clock.now() + 3_000);
    expect(await it.statusOf(token)).toBe(401);
  });

  test("a failing server is asked again as often as configured, then the answer is 503", async () => {
    await it.restart({ servers: [introspecting(it.server)] });
    expect(await it.statusOf(await it.server.token(RESOURCE, "opaque"))).toBe(200);
    const token = await it.server.token(RESOURCE, "opaque");
    const before = introspections();
    it.server.failWith(500);
    expect(await it.statusOf(token)).toBe(503);
    expect(introspections() - before).toBe(3);
  });

  test("a refusal of our own credentials is not repeated", async () => {
    await it.restart({ servers: [introspecting(it.server, { clientSecret: "wrong" })] });
    expect(await it.statusOf(await it.server.token(RESOURCE, "opaque"))).toBe(503);
    expect(introspections()).toBe(1);
    expect(it.gateway.logs.join("\n")).not.toContain("wrong");
  });

  test("23. no server is ever sent another server's token", async () => {
    const sent: string[] = [];
    const watching: typeof globalThis.fetch = (input, init) => {
      if (String(input).endsWith("/introspection")) sent.push(`${String(input)} ${String(init?.body)}`);
      return globalThis.fetch(input, init);
    };
    await it.restart({
      servers: [introspecting(it.server, { tokenPrefix: "abc_" }), introspecting(other)],
      fetch: watching,
    });
    await it.statusOf("abc_of-the-first");
    await it.statusOf("of-the-second");
    await it.statusOf(await other.sign({ aud: RESOURCE }));
    await it.statusOf(await it.server.sign({ aud: RESOURCE, iss: "https://unlisted.example" }));
    const to = (one: TestAuthorizationServer) => sent.filter((line) => line.startsWith(one.issuer));
    expect(to(it.server)).toEqual([expect.stringContaining("token=abc_of-the-first")]);
    expect(to(other)).toEqual([expect.stringContaining("token=of-the-second"), expect.stringContaining("token=ey")]);
  });

  test("without any server for its prefix a token is refused and goes nowhere", async () => {
    await it.restart({ servers: [introspecting(it.server, { tokenPrefix: "abc_" }), trusted(other.wellKnown)] });
    expect(await it.statusOf("xyz_token")).toBe(401);
    expect(it.gateway.fetched).toEqual([]);
  });
});

describe("the method auto", () => {
  test("a JWT is validated here, anything else by the server", async () => {
    await it.restart({ servers: [introspecting(it.server, {}, "auto")] });
    expect(await it.statusOf(await it.server.token(RESOURCE, "jwt"))).toBe(200);
    expect(introspections()).toBe(0);
    expect(await it.statusOf(await it.server.token(RESOURCE, "opaque"))).toBe(200);
    expect(introspections()).toBe(1);
  });

  test("a JWT under an unknown key is put to the server, one that is wrong is not", async () => {
    await it.restart({ servers: [introspecting(it.server, {}, "auto")] });
    expect(await it.statusOf(await it.server.sign({ aud: RESOURCE }, { kid: "unknown" }))).toBe(401);
    expect(introspections()).toBe(1);
    expect(await it.statusOf(await it.server.sign({ aud: "https://other.example" }))).toBe(401);
    expect(introspections()).toBe(1);
  });
});
