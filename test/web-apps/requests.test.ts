import { decodeJwt } from "jose";
import { afterEach, expect, test } from "vitest";
import type { Configuration } from "../../lib/config/configuration.ts";
import type { WebAppConfiguration } from "../../lib/config/web-app-configuration.ts";
import type { ForwardedRequest } from "../../lib/reverse-proxy/forward.ts";
import { trusted } from "../gateway/started.ts";
import { CONSOLE } from "../support/configuration.ts";
import { type InProcess, startInProcess } from "../support/in-process.ts";
import { startIssuer } from "../support/token-issuer.ts";
import { webApp } from "./started.ts";

// What an upstream gets of requests, and what never reaches it.

let product: InProcess;
afterEach(() => product.close());

const OPEN = { location: { kind: "prefix", path: "/" }, allowUnauthenticated: true, idps: [], policies: [] } as const;

async function start(
  fields: Partial<WebAppConfiguration>,
  more: Partial<Configuration> = {},
): Promise<readonly ForwardedRequest[]> {
  const arrived: ForwardedRequest[] = [];
  product = await startInProcess({
    configuration: { ...more, apps: [webApp("site", undefined, { policies: [OPEN], ...fields })] },
    adapt: (dependencies) => ({
      ...dependencies,
      forward: () => async (request) => {
        arrived.push(request);
        return { status: 200, headers: new Headers(), body: null };
      },
    }),
  });
  return arrived;
}

/** Of an app whose expression decides. */
function checked(expression: string): Partial<WebAppConfiguration> {
  return { policies: [{ ...OPEN, policies: [{ engine: "cel", name: "check", expression }] }] };
}

test.each([
  ["/site/../oauth2/jwks", 200],
  ["//oauth2//jwks", 404],
  ["/oauth2/%6awks", 200],
  ["/oauth2/token", 405],
  ["/.countersign/other", 404],
])("58. an app at / never gets a path that is ours, in whichever spelling: %s is %i", async (path, status) => {
  const arrived = await start({ routes: [{ path: "/" }] });
  expect([(await product.send(path)).status, arrived]).toEqual([status, []]);
  expect((await product.send("/oauth2/jwks/")).status).toBe(200);
  expect(arrived.length).toBe(1);
});

test("58. what is ours wins on the Console's host, too", async () => {
  const console = { ...CONSOLE, enabled: true, baseURL: "https://console.example" };
  const arrived = await start({ routes: [{ host: "console.example", path: "/" }] }, { console });
  const jwks = await product.send("https://console.example/oauth2/jwks");
  expect([jwks.status, arrived]).toEqual([200, []]);
  expect((await product.send("https://console.example/page")).status).toBe(200);
  expect(arrived.length).toBe(1);
});

test("58. a host without a port is at that of the instance alone", async () => {
  const arrived = await start({ routes: [{ host: "pay.example", path: "/" }] });
  expect((await product.send("https://pay.example:666/x")).status).toBe(404);
  expect((await product.send("https://pay.example/x")).status).toBe(200);
  expect(arrived.length).toBe(1);
});

test("58. a path that an upstream could read in another way is not shown to an expression that reads paths", async () => {
  const arrived = await start(checked(`!request.http.path.startsWith("/site/admin")`));
  for (const path of ["/site/;x/admin", "/site/%2561dmin"]) {
    expect((await product.send(path)).status, path).toBe(400);
  }
  expect((await product.send("/site/admin")).status).toBe(403);
  expect(arrived).toEqual([]);
  expect((await product.send("/site/Other/")).status).toBe(200);
});

test("59. an expression sees no header that does not reach the upstream", async () => {
  const arrived = await start(checked(`request.http.headers["X-Tenant"] == "a"`));
  const ask = (headers: Readonly<Record<string, string>>) => product.send("/site/x", { headers });
  expect((await ask({ "x-tenant": "a", connection: "close, X-Tenant" })).status).toBe(403);
  expect((await ask({ x_tenant: "a" })).status).toBe(403);
  expect(arrived).toEqual([]);
  expect((await ask({ "x-tenant": "a", x_tenant: "b", "x.tenant": "b" })).status).toBe(200);
  const [sent] = arrived.map(({ headers }) => [...headers].filter(([name]) => /tenant/i.test(name)));
  expect(sent).toEqual([["x-tenant", "a"]]);
});

test("a GET with content is refused, of whatever length", async () => {
  const arrived = await start({});
  for (const [name, value] of [
    ["content-length", "3"],
    ["transfer-encoding", "chunked"],
  ] as const) {
    expect((await product.send("/site/x", { headers: { [name]: value } })).status).toBe(400);
  }
  expect(arrived).toEqual([]);
});

test("61. an assertion tells programs of two authorization servers apart, whatever they call themselves and whatever claims it repeats", async () => {
  const issuers = await Promise.all([startIssuer(), startIssuer()]);
  const audience = "https://us.example/site";
  const servers = issuers.map(({ wellKnown }) => trusted(wellKnown));
  const mcpProvider = {
    ...{ serverName: "gateway", stream: { path: "/mcp", resource: audience }, allowedOrigins: [], allowedHosts: [] },
    oauth: { enabled: true, metadataPath: "/.well-known/oauth-protected-resource", servers },
  };
  const bearer = { audiences: [audience], scopes: [] };
  const assertion = { header: "x-asserted", audience, claims: ["client_id", "sub_id"], lifetime: 60_000 };
  const policies = [{ ...OPEN, allowUnauthenticated: false, bearer }];
  const arrived = await start({ assertion, policies }, { mcpProvider });
  product.clock.set(Date.now());
  for (const { issue, url: iss } of issuers) {
    const authorization = `Bearer ${await issue(audience, { user: "nightly", client: "nightly" })}`;
    expect((await product.send("/site/x", { headers: { authorization } })).status).toBe(200);
    const { sub, sub_id } = decodeJwt(new Map(arrived.at(-1)?.headers).get("x-asserted") ?? "");
    expect([sub, sub_id]).toEqual(["nightly", { format: "iss_sub", iss, sub: "nightly" }]);
  }
  await Promise.all(issuers.map(({ stop }) => stop()));
});
