import { expect, test } from "vitest";
import type { Overview } from "../../lib/management/schemas/overview.ts";
import type { UpstreamList } from "../../lib/management/schemas/upstreams.ts";
import { eventually } from "../support/eventually.ts";
import type { RunningRegion } from "../support/runtime.ts";
import { createSigner, expectJson, issueToken, manage, type Owner, requestToken } from "./fixture.ts";
import { bearer, call, gatewayToken, mcpURL, post, STATELESS_META } from "./gateway-fixture.ts";

/** What the first page tells, and what is behind the apps. Needs a gateway whose upstream nobody answers at. */
export function overview(owner: () => Owner): void {
  const read = async () => expectJson<Overview>(await manage(owner(), "GET", "/overview"), 200);
  const sum = (numbers: readonly number[]) => numbers.reduce((one, other) => one + other, 0);
  const counts = ({ period }: Overview) => ({
    issued: sum(period.tokenRequests.map(({ issued }) => issued)),
    refused: sum(period.tokenRequests.map(({ refused }) => refused)),
    failed: sum(period.toolCalls.map(({ failed }) => failed)),
    denied: sum(period.toolCalls.map(({ denied }) => denied)),
  });

  test("the overview counts tokens and calls of the last hour, shows refusals, and knows what is done already", async () => {
    const before = counts(await read());
    const signer = await createSigner(owner(), { resources: [mcpURL(owner().region)] });
    await issueToken(owner().region, signer);
    await (await callNote(owner().region, await gatewayToken(owner().region, signer))).text();
    // Refusals of one address are recorded up to a limit, which the tests before may have used up: again, until one is.
    const readAfterRefusal = async () => {
      expect((await requestToken(owner().region, signer, { claims: { exp: 1 } })).status).toBe(400);
      return read();
    };
    const after = await eventually(
      readAfterRefusal,
      (now) =>
        counts(now).failed > before.failed &&
        counts(now).refused > before.refused &&
        counts(now).issued - before.issued >= 2,
    );
    expect(after.health).toMatchObject({ components: expect.any(Array) });
    expect(after.period).toMatchObject({ range: "1h", interval: 300, isComplete: true });
    expect([after.period.toolCalls.length, after.period.tokenRequests.length]).toEqual([12, 12]);
    expect(after.period.slowestTools).toContainEqual(expect.objectContaining({ tool: "upstream_getNote" }));
    expect(after.period.upstreams).toContainEqual(expect.objectContaining({ failed: expect.any(Number) }));
    const { failed } = counts(after);
    expect(sum(after.lastHour?.toolCalls.map((calls) => calls.failed) ?? [])).toBe(failed + counts(after).denied);
    expect(after.latestRefusals.map(({ outcome }) => outcome)).toContain("refused");
    expect(after.steps).toMatchObject({ app: true, apiClient: true, keyPair: true, token: true, toolCall: true });
  });

  test.each([
    ["24h", 3_600, 24],
    ["7d", 21_600, 28],
    ["30d", 86_400, 30],
  ])(
    "an overview of %s tells of so many intervals, and at least of what the last hour has",
    async (range, interval, n) => {
      const hour = counts(await read());
      const { period, lastHour } = await expectJson<Overview>(
        await manage(owner(), "GET", `/overview?range=${range}`),
        200,
      );
      expect(period).toMatchObject({ range, interval, isComplete: true });
      expect([period.toolCalls.length, period.tokenRequests.length, lastHour]).toEqual([n, n, undefined]);
      expect(Date.parse(period.to) - Date.parse(period.from)).toBe(n * interval * 1000);
      const long = counts({ period } as Overview);
      for (const name of ["issued", "refused", "failed", "denied"] as const)
        expect(long[name]).toBeGreaterThanOrEqual(hour[name]);
    },
  );

  test.each(["", "1d", "24h&range=1h"])("an overview of %j is refused", async (range) => {
    expect((await manage(owner(), "GET", `/overview?range=${range}`)).status).toBe(422);
  });

  test("the list of upstreams names apps and origins, and an API client with tools:read may see it", async () => {
    const signer = await createSigner(owner(), { scopes: ["tools:read"] });
    const token = await issueToken(owner().region, signer);
    const answer = await fetch(`${owner().region.url}/api/v1/upstreams`, { headers: bearer(token) });
    const { items } = await expectJson<UpstreamList>(answer, 200);
    const shown = await expectJson<UpstreamList>(await manage(owner(), "GET", "/upstreams"), 200);
    expect(shown.items.map(({ app }) => app)).toEqual(items.map(({ app }) => app));
    expect(items).toContainEqual(expect.objectContaining({ type: "bridge", origin: expect.stringMatching(/^http:/) }));
    for (const { origin, state } of items)
      expect([new URL(origin).origin, ["up", "down", "unknown"].includes(state)]).toEqual([origin, true]);
  });
}

/** Nobody answers at the upstream. */
function callNote(region: RunningRegion, token: string): Promise<Response> {
  const message = call("getNote", { noteId: "1" });
  const headers = {
    ...bearer(token),
    "mcp-protocol-version": "2026-07-28",
    "mcp-method": message.method,
    "mcp-name": message.params.name,
  };
  return post(region, { ...message, params: { ...message.params, _meta: STATELESS_META } }, headers);
}
