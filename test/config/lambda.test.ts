import { describe, expect, test } from "vitest";
import { configurationOf, startMistakes } from "./support.ts";

const ID_SECRET = "A".repeat(43);
const bridge = (timeout: string) => `version: "1"
http: {publicURL: "https://us.example"}
oidcProvider: {region: us, apiClients: {idSecret: ${ID_SECRET}}}
apps:
  - name: fast
    type: mcpBridge
    openapi: {spec: {uri: "https://a.example/o"}}
    upstream: {timeout: 50s}
  - name: slow
    type: mcpBridge
    toolNamespace: {name: slow_}
    openapi: {spec: {uri: "https://a.example/o"}}
    upstream:
      timeout: ${timeout}
`;

describe("an upstream that may take longer than the function lives", () => {
  test.each(["50001ms", "51s", "1m", "1h30m"])(
    "a timeout of %s is refused on Lambda, where it stands",
    async (timeout) => {
      expect(await startMistakes(bridge(timeout), { runtime: "lambda" })).toEqual([
        expect.stringMatching(
          /^14:16: apps\[1\]\.upstream\.timeout: found "[\dmsh]+"; accepted: at most 50s on Lambda$/,
        ),
      ]);
    },
  );

  test("a timeout that the environment brings is refused too", async () => {
    const input = { runtime: "lambda", environment: { SLOW: "55s" } } as const;
    expect(await startMistakes(bridge('"{{ env.SLOW }}"'), input)).toEqual([
      "14:16: apps[1].upstream.timeout: found the value of {{ env.SLOW }}; accepted: at most 50s on Lambda",
    ]);
  });

  test("a timeout of 50 s is accepted on Lambda", async () => {
    const { apps } = await configurationOf(bridge("50s"), { runtime: "lambda" });
    expect(apps).toMatchObject([{ timeout: 50_000 }, { timeout: 50_000 }]);
  });

  test.each(["node", "workers"] as const)("a longer timeout is accepted on %s", async (runtime) => {
    const { apps } = await configurationOf(bridge("5m"), { runtime });
    expect(apps).toMatchObject([{ timeout: 50_000 }, { timeout: 300_000 }]);
  });
});

describe("the legacy transport", () => {
  const gateway = (enabled: string) => `version: "1"
http: {publicURL: "https://us.example"}
oidcProvider: {region: us, apiClients: {idSecret: ${ID_SECRET}}}
mcpProvider:
  enabled: true
  transports:
    stream: {enabled: true, path: /mcp, session: {enabled: true}}
    sse: {enabled: ${enabled}, path: /sse, messagePath: /messages}
`;

  test("is refused on Lambda, where a stream would occupy an instance, with the way that agents take instead", async () => {
    expect(await startMistakes(gateway("true"), { runtime: "lambda" })).toEqual([
      "8:20: mcpProvider.transports.sse.enabled: found true; accepted: false on Lambda, where every open stream would occupy an instance; agents connect by transports.stream",
    ]);
    expect(await startMistakes(gateway("true"), { runtime: "workers" })).toEqual([]);
  });

  test("is accepted on Lambda when it is off, and sessions are", async () => {
    const { mcpProvider } = await configurationOf(gateway("false"), { runtime: "lambda" });
    expect(mcpProvider?.sse).toBeUndefined();
    expect(mcpProvider?.stream?.session).toMatchObject({ headerName: "Mcp-Session-Id", timeout: 3_600_000 });
  });
});
