import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { startProvider, type TestProvider, WELL_KNOWN } from "../connectors/provider.ts";
import type { RunningRegion, RunningRegions, RuntimeUnderTest } from "../support/runtime.ts";
import { startUpstream } from "../support/upstream.ts";
import { behaviourConfiguration } from "./configuration.ts";
import { createSigner, setUpOwner } from "./fixture.ts";
import { bearer, call, gatewayToken, mcpURL, post, rpc } from "./gateway-fixture.ts";

/** The gateway trusts another authorization server beside this instance, and there is a connector. */
const configuration = `${behaviourConfiguration.replace(
  "      servers:\n",
  `      servers:
        - wellKnownEndpoint: "{{ env.SERVER_URL }}${WELL_KNOWN}"
          tokenValidation:
            method: jwt
            expectedAudiences: ["{{ env.PUBLIC_URL }}/mcp"]
`,
)}
connectors:
  - name: corp
    type: oidc
    oidcWellKnownURL: "{{ env.PROVIDER_URL }}${WELL_KNOWN}?key=hunter2"
    oauthClientID: countersign
    oauthClientSecret: of-the-connector
`;

/** Longer than the longest pause between two attempts, also on a slow machine. */
const RECOVERY = { timeout: 90_000, interval: 200 };

/** What an instance says of itself, and how it comes up when what it depends on was not there at its start. */
export function health(runtime: RuntimeUnderTest): void {
  const { processes = 1 } = runtime;
  describe("health", () => {
    let provider: TestProvider;
    let server: TestProvider;
    let regions: RunningRegions;
    let upstreamURL: string;

    beforeAll(async () => {
      [provider, server] = await Promise.all([startProvider(), startProvider()]);
      const upstream = await startUpstream();
      upstreamURL = upstream.url;
      await Promise.all([provider.down(), server.down(), upstream.stop()]);
      const variables = { PROVIDER_URL: provider.issuer, SERVER_URL: server.issuer, UPSTREAM_URL: upstreamURL };
      regions = await runtime.start({ configuration, variables });
    });
    afterAll(async () => {
      await regions.stop();
      await Promise.all([provider.stop(), server.stop()]);
    });

    const answerOf = async ({ url }: RunningRegion) => {
      const response = await fetch(`${url}/status`);
      const cacheControl = response.headers.get("cache-control");
      return { status: response.status, cacheControl, body: await response.json() };
    };
    const component = (name: string) => ({ name, status: "down" });
    const up = { status: 200, cacheControl: "no-store", body: { status: "up" } };

    test("starts and serves although connector and authorization server are not there, and says which", async () => {
      const names = ["connector:corp", `authorization-server:${new URL(server.issuer).host}`];
      for (const region of [regions.us, regions.uk]) {
        const answers = await Promise.all(Array.from({ length: 10 }, () => answerOf(region)));
        const expected = {
          status: 503,
          cacheControl: "no-store",
          body: { status: "down", components: names.map(component) },
        };
        expect(answers).toEqual(answers.map(() => expected));
        expect((await fetch(`${region.url}/.well-known/openid-configuration`)).status).toBe(200);
      }
      const entries = () => regions.us.logs().filter((line) => line.includes("connector not available"));
      const once = expect.stringContaining(provider.issuer + WELL_KNOWN);
      await expect.poll(entries).toEqual(Array.from({ length: processes }, () => once));
    });

    test("comes up without a restart, each part by itself", { timeout: 120_000 }, async () => {
      await provider.up();
      const server503 = {
        status: "down",
        components: [component(`authorization-server:${new URL(server.issuer).host}`)],
      };
      await vi.waitFor(async () => expect((await answerOf(regions.us)).body).toEqual(server503), RECOVERY);
      await server.up();
      for (const region of [regions.us, regions.uk]) {
        await vi.waitFor(async () => expect(await answerOf(region)).toEqual(up), RECOVERY);
      }
    });

    test("asks nobody again once it knows, however many ask for its health", async () => {
      const before = provider.requests.length;
      expect(before).toBe(2 * processes);
      const answers = await Promise.all(Array.from({ length: 50 }, () => answerOf(regions.us)));
      expect(answers).toEqual(answers.map(() => up));
      expect(provider.requests).toHaveLength(before);
    });

    test("names an app whose API was not reached, and stays up", async () => {
      const owner = await setUpOwner(regions.us);
      const signer = await createSigner(owner, { resources: [mcpURL(regions.us)] });
      const authorization = bearer(await gatewayToken(regions.us, signer));
      const { result } = await rpc(await post(regions.us, call("listTags"), authorization));
      expect(result?.isError).toBe(true);
      expect(await answerOf(regions.us)).toEqual({
        ...up,
        body: { status: "up", components: [component("app:upstream")] },
      });
      const upstream = await startUpstream(Number(new URL(upstreamURL).port));
      const again = await rpc(await post(regions.us, call("listTags"), authorization));
      expect(again.result?.isError).toBeUndefined();
      expect(await answerOf(regions.us)).toEqual(up);
      await upstream.stop();
    });

    test("tells nobody a secret, in the log neither", async () => {
      const lines = [...regions.us.logs(), ...regions.uk.logs()].join("\n");
      expect(lines).not.toContain("hunter2");
      expect(lines).not.toContain("of-the-connector");
    });
  });
}
