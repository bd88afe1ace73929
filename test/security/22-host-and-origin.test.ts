import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createOriginGuard } from "../../lib/mcp/origin-guard.ts";
import { type BothTransports, bothTransports, MCP_PATHS } from "../gateway/inbound/both-transports.ts";

const METHODS = ["GET", "HEAD", "POST", "DELETE", "PUT", "OPTIONS"] as const;

function allows(publicURL: string, allowed: { hosts?: readonly string[]; origins?: readonly string[] }) {
  const { hosts = [], origins = [] } = allowed;
  const guard = createOriginGuard(publicURL, { allowedHosts: hosts, allowedOrigins: origins });
  return (url: string, origin?: string) =>
    guard.refused(new Request(`${url}/mcp`, origin === undefined ? {} : { headers: { origin } })) === undefined;
}

describe("22. the Host of a request", () => {
  const isAllowed = allows("https://gw.example", { hosts: ["other.example:8443", "münchen.example", "[2001:DB8::1]"] });

  test.each([
    "https://gw.example",
    "https://GW.Example",
    "https://gw.example:443",
    "https://other.example:8443",
    "https://xn--mnchen-3ya.example",
    "https://[2001:db8::1]",
    "https://[2001:db8:0::0:1]:8443",
  ])("may be the one of %s", (url) => {
    expect(isAllowed(url)).toBe(true);
  });

  test.each([
    "https://evil.example",
    "https://gw.example.evil.example",
    "https://evilgw.example",
    "https://gw.example.",
    "https://other.example",
    "https://other.example:8444",
    "https://[2001:db8::2]",
    "https://127.0.0.1",
    "https://localhost",
  ])("may not be the one of %s", (url) => {
    expect(isAllowed(url)).toBe(false);
  });

  test.each(["http://localhost:8080", "http://127.0.0.1:8080", "http://[::1]:8080"])(
    "may be any name of this machine where the public URL is one, such as %s",
    (url) => {
      expect(allows("http://127.0.0.1:8080", {})(url)).toBe(true);
      expect(allows("http://127.0.0.1:8080", {})(url.replace("8080", "8081"))).toBe(false);
    },
  );
});

describe("22. the Origin of a request", () => {
  const URL_OF_GATEWAY = "https://gw.example";
  const origins = ["https://Agent.example/", "https://b\u00fccher.example", "http://[::1]:3000", "app://obsidian.md"];
  const isAllowed = allows(URL_OF_GATEWAY, { origins });

  test.each([
    "https://gw.example",
    "https://gw.example:443",
    "https://agent.example",
    "HTTPS://AGENT.EXAMPLE",
    "https://xn--bcher-kva.example",
    "http://[::1]:3000",
    "app://obsidian.md",
  ])("may be %s", (origin) => {
    expect(isAllowed(URL_OF_GATEWAY, origin)).toBe(true);
  });

  test.each([
    "null",
    "",
    "https://evil.example",
    "http://gw.example",
    "https://gw.example:8443",
    "https://gw.example.",
    "https://gw.example.evil.example",
    "https://agent.example@evil.example",
    "https://evil.example/https://agent.example",
    "https://agent.example, https://evil.example",
    "https://agent.example/path",
    "https://agent.example\\.evil.example",
    "http://[::1]:3001",
    "app://obsidian.md.evil",
    "*",
  ])("may not be %j", (origin) => {
    expect(isAllowed(URL_OF_GATEWAY, origin)).toBe(false);
  });

  test("is never allowed to be null, whatever the configuration says", () => {
    expect(allows(URL_OF_GATEWAY, { origins: ["null"] })(URL_OF_GATEWAY, "null")).toBe(false);
  });
});

describe("22. before anything else", () => {
  let it: BothTransports;
  beforeAll(async () => {
    it = await bothTransports();
  });
  afterAll(() => it.close());

  const EACH = MCP_PATHS.flatMap(({ path }) => METHODS.map((method) => [method, path] as const));

  test.each(EACH)("%s %s is 403 for a foreign origin, with and without a token", async (method, path) => {
    const authorization = `Bearer ${await it.token()}`;
    for (const origin of ["https://evil.example", "null"]) {
      const variants: readonly Readonly<Record<string, string>>[] = [{ origin }, { origin, authorization }];
      for (const headers of variants) {
        const answer = await it.send(`${path}?access_token=x`, { method, headers });
        expect(answer.status).toBe(403);
        expect(answer.headers.get("access-control-allow-origin")).toBeNull();
        expect(answer.headers.get("www-authenticate")).toBeNull();
        await answer.body?.cancel();
      }
    }
    expect(it.fetched).toEqual([]);
  });
});
