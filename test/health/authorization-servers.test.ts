import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import type { McpAuthorizationServer } from "../../lib/config/configuration.ts";
import { type AnsweringServer, startAnsweringServer } from "../gateway/answering-server.ts";
import { CLIENT, startAuthorizationServer, type TestAuthorizationServer } from "../gateway/authorization-server.ts";
import { RESOURCE, type StartedGateway, startedGateway, trusted } from "../gateway/started.ts";
import { PROVIDER } from "../support/in-process.ts";
import { startUpstream, type Upstream } from "../support/upstream.ts";
import { down, type HealthAnswer, UP } from "./with-health.ts";

let server: TestAuthorizationServer;
let odd: AnsweringServer;
let upstream: Upstream;
const running: StartedGateway[] = [];

beforeAll(async () => {
  [server, odd, upstream] = await Promise.all([startAuthorizationServer(), startAnsweringServer(), startUpstream()]);
});
afterAll(() => Promise.all([server.stop(), odd.stop(), upstream.stop()]));
afterEach(async () => {
  server.failWith(undefined);
  for (const gateway of running.splice(0)) await gateway.close();
});

interface Started {
  readonly gateway: StartedGateway;
  health(): Promise<HealthAnswer>;
  pass(milliseconds: number): void;
}

async function start(...servers: readonly McpAuthorizationServer[]): Promise<Started> {
  const gateway = await startedGateway({ servers, upstreamURL: upstream.url });
  running.push(gateway);
  return {
    gateway,
    async health() {
      const response = await gateway.send("/status");
      return { status: response.status, body: await response.json() };
    },
    pass: (milliseconds) => gateway.clock.set(gateway.clock.now() + milliseconds),
  };
}

const name = (url: string) => `authorization-server:${new URL(url).host}`;
const introspection = { clientID: CLIENT.id, clientSecret: CLIENT.secret, timeout: 2_000, maxRetries: 0 };
const eventually = { timeout: 20_000 };

describe("a gateway that trusts another authorization server", () => {
  test("is up once it has the server's metadata and keys, before any token", async () => {
    const it = await start(trusted(server.wellKnown));
    await expect.poll(() => it.health(), eventually).toEqual(UP);
    expect(it.gateway.fetched).toEqual([server.wellKnown, `${server.issuer}/jwks`]);
    const token = await server.token(RESOURCE, "jwt");
    expect((await it.gateway.call("getNote", { noteId: "1" }, token)).status).toBe(200);
    expect(it.gateway.fetched.filter((url) => url.startsWith(server.issuer))).toHaveLength(2);
  });

  test("is down while the server is, and comes up with it", async () => {
    server.failWith(500);
    const it = await start(trusted(server.wellKnown));
    expect(await it.health()).toEqual(down(name(server.issuer)));
    server.failWith(undefined);
    await expect
      .poll(() => {
        it.pass(1_000);
        return it.health();
      }, eventually)
      .toEqual(UP);
  });

  test("is brought up by a token as well, which is not refused because the server was down before", async () => {
    server.failWith(500);
    const it = await start(trusted(server.wellKnown));
    expect(await it.health()).toEqual(down(name(server.issuer)));
    const token = await server.sign({ aud: RESOURCE, scope: "notes:read" });
    expect((await it.gateway.call("getNote", { noteId: "1" }, token)).status).toBe(503);
    server.failWith(undefined);
    it.pass(5_000);
    expect((await it.gateway.call("getNote", { noteId: "1" }, token)).status).toBe(200);
    await expect.poll(() => it.health(), eventually).toEqual(UP);
  });

  test("has its keys fetched together with its metadata again, and stays up when that fails", async () => {
    const it = await start(trusted(server.wellKnown, { refreshInterval: 60_000 }));
    await expect.poll(() => it.health(), eventually).toEqual(UP);
    server.failWith(500);
    it.pass(60_000);
    expect(await it.health()).toEqual(UP);
    const warning = "authorization server not refreshed; what was read before stays in use";
    await expect.poll(() => it.gateway.logs.filter((line) => line.includes(warning)), eventually).toHaveLength(1);
    expect(await it.health()).toEqual(UP);
  });

  test("is down when it speaks for another issuer", async () => {
    odd.describe({ issuer: "https://login.victim.example" });
    const it = await start(trusted(odd.wellKnown));
    expect(await it.health()).toEqual(down(name(odd.url)));
  });

  test("is down without keys where tokens are JWTs, and needs none where they are introspected", async () => {
    odd.describe({});
    odd.answer("/jwks", '{"keys":"none"}');
    const it = await start(trusted(odd.wellKnown), trusted(odd.wellKnown, { method: "introspection", introspection }));
    expect(await it.health()).toEqual(down(name(odd.url)));
    const other = await start(trusted(odd.wellKnown, { method: "introspection", introspection }));
    await expect.poll(() => other.health(), eventually).toEqual(UP);
  });

  test("is down when tokens are to be introspected and the server names no address for it", async () => {
    odd.describe({ introspection_endpoint: undefined });
    const it = await start(trusted(odd.wellKnown, { method: "introspection", introspection }));
    expect(await it.health()).toEqual(down(name(odd.url)));
    await expect
      .poll(() => it.gateway.logs.join("\n"), eventually)
      .toContain("discovery names no introspection_endpoint");
  });

  test("names a server with the path of its issuer, and never the query of its address", async () => {
    const it = await start(
      trusted(`${odd.url}/realms/a/.well-known/openid-configuration?key=hunter2`),
      trusted(`${odd.url}/elsewhere?key=hunter2`),
    );
    expect(await it.health()).toEqual(down(`${name(odd.url)}/realms/a`, `${name(odd.url)}/elsewhere`));
    await expect
      .poll(() => it.gateway.logs.filter((line) => line.includes("authorization server not available")), eventually)
      .toHaveLength(2);
    expect(it.gateway.logs.join("\n")).not.toContain("hunter2");
  });

  test("asks nobody about itself", async () => {
    const it = await start(trusted(PROVIDER.endpoints.wellKnown, { method: "introspection", introspection }));
    expect(await it.health()).toEqual(UP);
    expect(it.gateway.fetched).toEqual([]);
  });
});

describe("an app whose API cannot be reached", () => {
  test("is named by health, which stays up, until a call is answered again", async () => {
    const gone = await startUpstream();
    const url = gone.url;
    await gone.stop();
    const gateway = await startedGateway({ servers: [trusted(server.wellKnown)], upstreamURL: url });
    running.push(gateway);
    const health = async () => (await gateway.send("/status")).json();
    await expect.poll(health, eventually).toEqual({ status: "up" });
    const token = await server.token(RESOURCE, "jwt");
    const call = async (given: unknown) => (await gateway.call("getNote", given, token)).text();
    const lost = { status: "up", components: [{ name: "app:notes", status: "down" }] };

    expect(await call({ noteId: "1" })).toContain("could not be reached");
    const response = await gateway.send("/status");
    expect(response.status).toBe(200);
    expect(await response.json()).toEqual(lost);
    // A call that is not made says nothing about the API.
    expect(await call({ noteId: 5 })).toContain("Invalid arguments");
    expect(await health()).toEqual(lost);

    const back = await startUpstream(Number(new URL(url).port));
    expect(await call({ noteId: "missing" })).toContain("HTTP 404");
    expect(await health()).toEqual({ status: "up" });
    await back.stop();
  });
});
