import type { ServerResponse } from "node:http";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { fetchConnectorMetadata } from "../../lib/connectors/metadata.ts";
import { startProvider, type TestProvider, WELL_KNOWN } from "./provider.ts";

let provider: TestProvider;
beforeEach(async () => {
  provider = await startProvider();
});
afterEach(() => provider.stop());

const read = (url = provider.wellKnownURL) => fetchConnectorMetadata(fetch, url);
const json = (status: number, text: string, headers: Readonly<Record<string, string>> = {}) => {
  provider.answer((response: ServerResponse) => response.writeHead(status, headers).end(text));
};

describe("the discovery document of an OpenID provider", () => {
  test("tells where to sign in", async () => {
    provider.describe({ userinfo_endpoint: "https://other.example/userinfo", end_session_endpoint: null });
    expect(await read()).toEqual({
      issuer: provider.issuer,
      authorizationEndpoint: `${provider.issuer}/authorize`,
      tokenEndpoint: `${provider.issuer}/token`,
      jwksUri: `${provider.issuer}/jwks`,
      userinfoEndpoint: "https://other.example/userinfo",
      idTokenAlgorithms: ["RS256"],
    });
  });

  test("tells what ID tokens are signed with, as far as a public key verifies it, and whether answers name the issuer", async () => {
    provider.describe({
      id_token_signing_alg_values_supported: ["none", "HS256", "ES256", 5, "EdDSA"],
      authorization_response_iss_parameter_supported: true,
    });
    expect(await read()).toMatchObject({ idTokenAlgorithms: ["ES256", "EdDSA"], sendsIssuer: true });
    provider.describe({ id_token_signing_alg_values_supported: ["none"] });
    expect(await read()).not.toHaveProperty("idTokenAlgorithms");
  });

  test("of an issuer with a path stands below it, and may be asked for with a query", async () => {
    const tenant = await startProvider({ path: "/tenant" });
    expect(await read(`${tenant.wellKnownURL}?appid=1`)).toMatchObject({ issuer: tenant.issuer });
    expect(tenant.requests).toEqual([`/tenant${WELL_KNOWN}?appid=1`]);
    await tenant.stop();
  });

  test("may spell the issuer with a slash at its end, and then the issuer has one", async () => {
    provider.describe({ issuer: `${provider.issuer}/` });
    expect(await read()).toMatchObject({ issuer: `${provider.issuer}/` });
  });

  test.each([
    ["two slashes at the end", (issuer: string) => `${issuer}//`],
    ["another path", (issuer: string) => `${issuer}/tenant`],
    ["another host", () => "https://evil.example"],
    ["upper case", (issuer: string) => issuer.replace("http", "HTTP")],
    ["a placeholder", (issuer: string) => `${issuer}/{tenantid}`],
  ])("is refused with an issuer that has %s", async (_, named) => {
    const issuer = named(provider.issuer);
    provider.describe({ issuer });
    await expect(read()).rejects.toThrow(
      `discovery names the issuer ${JSON.stringify(issuer)}, but its address is the one of "${provider.issuer}"`,
    );
  });

  test.each([
    [{ issuer: undefined }, "discovery names no issuer"],
    [{ issuer: 5 }, "discovery names no issuer"],
    [{ issuer: "x".repeat(513) }, "discovery names an issuer of over 512 characters"],
    [{ authorization_endpoint: undefined }, "discovery names no authorization_endpoint"],
    [{ token_endpoint: null }, "discovery names no token_endpoint"],
    [{ jwks_uri: undefined }, "discovery names no jwks_uri"],
    [{ jwks_uri: 5 }, "discovery names a jwks_uri that is no URL"],
    [{ token_endpoint: "/token" }, "discovery names a token_endpoint that is no URL"],
    [{ token_endpoint: "http://corp.example/token" }, "token_endpoint of discovery is neither https nor"],
    [{ jwks_uri: "file:///etc/passwd" }, "jwks_uri of discovery is neither https nor"],
    [{ userinfo_endpoint: "http://127.0.0.1.example/" }, "userinfo_endpoint of discovery is neither https nor"],
    [{ end_session_endpoint: "javascript:alert(1)" }, "end_session_endpoint of discovery is neither https nor"],
  ])("is refused with %j", async (more, reason) => {
    provider.describe(more);
    await expect(read()).rejects.toThrow(reason);
  });

  test.each(["https://login.example/x", "http://localhost:1/x", "http://[::1]:1/x", "http://idp.localhost/x"])(
    "may name %s",
    async (url) => {
      provider.describe({ token_endpoint: url });
      expect(await read()).toMatchObject({ tokenEndpoint: url });
    },
  );

  test.each([
    [200, "<h1>Welcome</h1>", "discovery answered 200 without a JSON object of at most 1 MB"],
    [200, "[]", "discovery answered 200 without a JSON object of at most 1 MB"],
    [200, "", "discovery answered 200 without a JSON object of at most 1 MB"],
    [404, "{}", "discovery answered 404"],
    [500, "{}", "discovery answered 500"],
    [204, "", "discovery answered 204"],
  ])("is none when the answer is %i %j", async (status, text, reason) => {
    json(status, text);
    await expect(read()).rejects.toThrow(reason);
  });

  test("is not looked for elsewhere", async () => {
    const elsewhere = await startProvider();
    json(302, "", { location: elsewhere.wellKnownURL });
    await expect(read()).rejects.toThrow("discovery answered 302; redirects are not followed");
    expect(elsewhere.requests).toEqual([]);
    await elsewhere.stop();
  });

  test("is not read to its end when it has none", async () => {
    let sent = 0;
    let closed = false;
    provider.answer((response) => {
      response.on("close", () => {
        closed = true;
      });
      const more = () => {
        for (let room = true; room && !closed; sent += 65_536) room = response.write("x".repeat(65_536));
      };
      response.writeHead(200).on("drain", more);
      more();
    });
    await expect(read()).rejects.toThrow("without a JSON object of at most 1 MB");
    await expect.poll(() => closed, { timeout: 20_000 }).toBe(true);
    expect(sent).toBeLessThan(100 * 1024 * 1024);
  });

  test("is not waited for when it does not come", { timeout: 60_000 }, async () => {
    provider.hold();
    await expect(read()).rejects.toThrow(/timeout/);
    await expect.poll(() => provider.held, { timeout: 20_000 }).toBe(0);
  });

  test.each([
    ["https://corp.example/metadata", "the address is not that of a discovery document"],
    ["http://corp.example/.well-known/openid-configuration", "the address is neither https nor http on a loopback"],
    [
      "https://user:hunter2@corp.example/.well-known/openid-configuration",
      "the address holds a user name or password; none is sent",
    ],
  ])("is not fetched from %s", async (url, reason) => {
    const fetched: unknown[] = [];
    const none = async (input: unknown) => {
      fetched.push(input);
      return new Response("{}");
    };
    await expect(fetchConnectorMetadata(none as typeof fetch, url)).rejects.toThrow(reason);
    expect(fetched).toEqual([]);
  });
});
