import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { mintToken } from "../../lib/authorization-server/tokens/opaque.ts";
import { issuerFromWellKnown } from "../../lib/protocol/oauth/issuer.ts";
import { PROVIDER } from "../support/in-process.ts";
import { type AnsweringServer, startAnsweringServer } from "./answering-server.ts";
import { CLIENT } from "./authorization-server.ts";
import { RESOURCE, trusted } from "./started.ts";
import { withGateway } from "./with-gateway.ts";

const it = withGateway();
const good = { aud: RESOURCE, scope: "notes:read" };
const VICTIM = "https://login.victim.example";
const INTROSPECTION = { clientID: CLIENT.id, clientSecret: CLIENT.secret, timeout: 2_000, maxRetries: 0 };
let odd: AnsweringServer;

beforeAll(async () => {
  odd = await startAnsweringServer();
  odd.answer("/jwks", await (await fetch(`${it.server.issuer}/jwks`)).text());
});
afterAll(() => odd.stop());

describe("the issuer whose document stands at a well-known address", () => {
  test.each([
    ["https://a.example/.well-known/openid-configuration", "https://a.example"],
    ["https://a.example/x/y/.well-known/openid-configuration", "https://a.example/x/y"],
    ["https://a.example/.well-known/openid-configuration/x", "https://a.example/x"],
    ["https://a.example/.well-known/oauth-authorization-server", "https://a.example"],
    ["https://a.example/.well-known/oauth-authorization-server/x/y?z=1", "https://a.example/x/y"],
    ["https://a.example/x/.well-known/oauth-authorization-server", "https://a.example/x"],
    ["https://a.example/metadata", undefined],
    ["https://a.example/x/.well-known/openid-configuration/y", undefined],
  ])("%s is %s", (address, issuer) => {
    expect(issuerFromWellKnown(address)).toBe(issuer);
  });
});

describe("23. a server speaks for no issuer but its own", () => {
  test.each([
    ["another host", () => VICTIM],
    ["a path below its own", () => `${odd.url}/x`],
    ["two slashes at its end", () => `${odd.url}//`],
  ])("a discovery document that names %s makes its server unavailable", async (_, named) => {
    const issuer = named();
    odd.describe({ issuer });
    await it.restart({ servers: [trusted(odd.wellKnown)] });
    expect(await it.statusOf(await it.server.sign({ ...good, iss: issuer }))).not.toBe(200);
    expect(await it.statusOf(await it.server.sign({ ...good, iss: odd.url }))).toBe(503);
    const logs = it.gateway.logs.join("\n");
    expect(logs).toContain(`the issuer \\"${issuer}\\", but its address is the one of \\"${odd.url}\\"`);
    const metadata = await it.gateway.send("/.well-known/oauth-protected-resource");
    expect(await metadata.json()).toMatchObject({ authorization_servers: [odd.url] });
  });

  test("nor is its word on opaque tokens taken", async () => {
    odd.describe({ issuer: VICTIM });
    odd.answer("/introspection", JSON.stringify({ ...good, active: true, client_id: "agent", exp: 4_000_000_000 }));
    await it.restart({
      servers: [trusted(odd.wellKnown, { method: "introspection", introspection: INTROSPECTION })],
    });
    expect(await it.statusOf("opaque")).toBe(503);
    expect(odd.requests).not.toContain("/introspection");
  });

  test.each(["", "/"])("its own with %j at the end is accepted", async (end) => {
    const issuer = odd.url + end;
    odd.describe({ issuer });
    await it.restart({ servers: [trusted(odd.wellKnown)] });
    expect(await it.statusOf(await it.server.sign({ ...good, iss: issuer }))).toBe(200);
    expect(await it.statusOf(await it.server.sign({ ...good, iss: odd.url + (end === "" ? "/" : "") }))).toBe(401);
  });

  test("an address that tells no issuer is believed", async () => {
    odd.describe({ issuer: VICTIM });
    await it.restart({ servers: [trusted(odd.metadata)] });
    expect(await it.statusOf(await it.server.sign({ ...good, iss: VICTIM }))).toBe(200);
  });
});

describe("the record of a call", () => {
  const records = async () => {
    const organization = await it.gateway.dependencies.stores.directory.firstOrganization();
    const filter = { organizationId: organization?.organizationId, type: "tool.invoked" };
    return (await it.gateway.dependencies.stores.auditLog.query(filter, { limit: 10 })).items;
  };

  test.each([
    ["success", "notes:read"],
    ["denied", "other"],
  ])("that is a %s names the issuer that vouched for the agent", async (outcome, scope) => {
    await (await it.gateway.call("getNote", { noteId: "1" }, await it.server.sign({ ...good, scope }))).text();
    const [record] = await records();
    expect(record).toMatchObject({ outcome, details: { issuer: it.server.issuer } });
  });

  test.each([
    { client_id: "agent\nroot" },
    { client_id: "agent\u009b" },
    { client_id: "x".repeat(513) },
    { azp: "a\u0000" },
    { sub: "alice\u007f" },
    { sub: "x".repeat(513) },
    { act: { sub: "agent\r" } },
  ])("23. never has the names of a token with %j, which is refused", async (claims) => {
    const response = await it.gateway.call("getNote", { noteId: "1" }, await it.server.sign({ ...good, ...claims }));
    expect(response.status).toBe(401);
    expect(response.headers.get("www-authenticate")).toContain('error="invalid_token"');
    expect(await records()).toEqual([]);
  });

  test("may have names of 512 characters of any script", async () => {
    const name = "é".repeat(512);
    expect(await it.statusOf(await it.server.sign({ ...good, client_id: name, sub: name }))).toBe(200);
  });
});

describe("23. an opaque token of this instance", () => {
  const minted = async () =>
    mintToken(PROVIDER.region, 0, { bytes: (length) => crypto.getRandomValues(new Uint8Array(length)) }).text;
  const introspecting = (tokenPrefix?: string) =>
    trusted(odd.wellKnown, {
      method: "introspection",
      introspection: { ...INTROSPECTION, ...(tokenPrefix !== undefined && { tokenPrefix }) },
    });

  test.each([undefined, "cst_", "cst_us_"])("is shown to no other server, with the prefix %j", async (prefix) => {
    odd.describe({});
    odd.answer("/introspection", JSON.stringify({ ...good, active: true, client_id: "agent", exp: 4_000_000_000 }));
    await it.restart({ servers: [introspecting(prefix)] });
    const before = odd.requests.length;
    expect(await it.statusOf(await minted())).toBe(401);
    expect(odd.requests).toHaveLength(before);
    const own = trusted(PROVIDER.endpoints.wellKnown, {
      method: "introspection",
      introspection: { ...INTROSPECTION, tokenPrefix: "cst_us_" },
    });
    await it.restart({ servers: [introspecting(prefix), own] });
    expect(await it.statusOf(await minted())).toBe(401);
    expect(odd.requests).toHaveLength(before);
    if (prefix !== undefined) return;
    expect(await it.statusOf("cst_eu_of-another-region")).toBe(200);
    expect(odd.requests).toContain("/introspection");
  });
});

test.each(["application/jwt", "Application/AT+JWT"])("a JWT of the media type %s is an access token", async (typ) => {
  expect(await it.statusOf(await it.server.sign(good, { typ }))).toBe(200);
});

test.each(["application/application/jwt", "text/jwt"])("6. a JWT of the type %s is no access token", async (typ) => {
  expect(await it.statusOf(await it.server.sign(good, { typ }))).toBe(401);
});
