import { beforeAll, describe, expect, test } from "vitest";
import { followed, YAML } from "./gateway.ts";

const WITH_CONSOLE = `${YAML}console: {enabled: true, baseURL: "https://gateway.example"}\n`;

describe("what an owner sets of the gateway", () => {
  let it: Awaited<ReturnType<typeof followed>>;
  beforeAll(async () => {
    it = await followed({ text: WITH_CONSOLE });
  });
  const detailOf = async (values: Readonly<Record<string, unknown>>) => {
    const problems = await it.gatewaySettings.check(values, {});
    return problems.map(({ name, detail }) => `${name}: ${detail}`);
  };

  test.each(["/api/v1", "/api/v1/", "/api/v1/me", "/api/v1/sign-in"])(
    "32. takes no path of the management API, by which the setting could be taken back: %s",
    async (streamPath) => {
      const detail = `${streamPath} belongs to the management API; accepted: a path outside of /api/v1`;
      expect(await detailOf({ streamPath })).toEqual([`streamPath: ${detail}`]);
    },
  );

  test.each(["/console", "/console/", "/console/sign-in", "/console/assets/index.js"])(
    "32. takes no page or file of the Console away: %s",
    async (streamPath) => {
      const detail = `${streamPath} belongs to the Console; accepted: a path outside of /console`;
      expect(await detailOf({ streamPath })).toEqual([`streamPath: ${detail}`]);
    },
  );

  test.each(["/", "/consoles", "/api", "/api/v2/mcp"])("may be at any other path: %s", async (streamPath) => {
    expect(await detailOf({ streamPath })).toEqual([]);
  });

  test.each(["/mcp/:id", "/mcp/*", "/{mcp}", "/mcp?x", "/mcp#x", "/m cp", "mcp", "/m%63p"])(
    "is no pattern that a router reads: %s",
    async (streamPath) => {
      expect(await detailOf({ streamPath })).toHaveLength(1);
    },
  );

  test.each([
    ...["Authorization", "Cookie", "Set-Cookie", "Content-Length", "Host", "Transfer-Encoding", "DPoP"],
    ...["ETag", "Link", "Refresh", "Clear-Site-Data", "Strict-Transport-Security", "Cross-Origin-Opener-Policy"],
    ...["X-Frame-Options", "X-Content-Type-Options", "Referrer-Policy", "Permissions-Policy", "Alt-Svc", "Server"],
    ...["Countersign-Organization", "X-Forwarded-For", "CF-Connecting-IP"],
  ])("39. puts session ids into no header that says something else: %s", async (sessionHeaderName) => {
    expect(await detailOf({ sessionHeaderName })).toEqual([
      `sessionHeaderName: found "${sessionHeaderName}", which has a meaning of its own; accepted: a header such as Mcp-Session-Id`,
    ]);
  });

  test.each(["Mcp-Session-Id", "X-Session", "Session"])("keeps headers of its own: %s", async (sessionHeaderName) => {
    expect(await detailOf({ sessionHeaderName })).toEqual([]);
  });

  test("lets no session last for longer than there are dates", async () => {
    const detail = (found: string) =>
      `sessionTimeout: found "${found}"; accepted: a duration such as 250ms, 30s, 15m or 1h30m, 100 years at most`;
    for (const sessionTimeout of ["2500000000h", "9007199254740991ms", "876001h"]) {
      expect(await detailOf({ sessionTimeout })).toEqual([detail(sessionTimeout)]);
    }
    expect(await detailOf({ sessionTimeout: "876000h" })).toEqual([]);
  });

  test("is taken as it stands: what looks like a secret or a variable is none", async () => {
    const { gatewaySettings, gateway, settings } = await followed({ text: WITH_CONSOLE });
    const record = { revision: 1, values: { serverName: "<session.timeout> {{ env.NAME }}" } };
    await settings.replaceSettings(record, {} as never);
    await gatewaySettings.use(record);
    expect(gateway()).toMatchObject({ serverName: "<session.timeout> {{ env.NAME }}" });
  });
});
