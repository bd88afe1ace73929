import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { behaviourConfiguration } from "../behaviour/configuration.ts";
import { createSigner, manage, type Owner, setUpOwner } from "../behaviour/fixture.ts";
import { auditRecords, bearer, call, gatewayToken, mcpURL, post, rpc, textOf } from "../behaviour/gateway-fixture.ts";
import { type MortalServer, startMortalServer } from "../support/mortal-server.ts";

let server: MortalServer;

beforeAll(async () => {
  server = await startMortalServer(behaviourConfiguration);
});
afterAll(() => server.close());

describe("38. one audit record a call, whatever dies", () => {
  test("a process killed during a call leaves one record that reads unknown, and finished ones as they were", async () => {
    const { region, upstream } = server;
    const owner: Owner = await setUpOwner(region);
    const signer = await createSigner(owner, { resources: [mcpURL(region)] });
    const authorization = bearer(await gatewayToken(region, signer));

    await rpc(await post(region, call("listTags"), authorization));
    const lost = post(region, call("slow"), authorization)
      .then(rpc)
      .catch(() => "lost");
    await expect.poll(() => upstream.waiting).toBe(1);
    await server.kill();
    expect(await lost).toBe("lost");

    await server.restart();
    expect(await auditRecords(owner, "slow")).toEqual([expect.objectContaining({ outcome: "unknown" })]);
    expect(await auditRecords(owner, "listTags")).toEqual([expect.objectContaining({ outcome: "success" })]);
    // The token of before is still one, and calls go on.
    expect((await rpc(await post(region, call("listTags"), authorization))).result).toBeDefined();
    expect(await auditRecords(owner, "listTags")).toHaveLength(2);
  });
});

const APPROVED = `
    tools:
      rules:
        - tools: [slow]
          approval: {by: owners}
`;

describe("76. an approved call whose process dies", () => {
  let dying: MortalServer;
  beforeAll(async () => {
    dying = await startMortalServer(behaviourConfiguration.trimEnd() + APPROVED);
  });
  afterAll(() => dying.close());

  test("is not made again without another approval, and its record reads unknown", async () => {
    const { region, upstream } = dying;
    const owner: Owner = await setUpOwner(region);
    const signer = await createSigner(owner, { resources: [mcpURL(region)] });
    const authorization = bearer(await gatewayToken(region, signer));
    const called = async () => rpc(await post(region, call("slow"), authorization));
    const waiting = async () => /approval_\w+/.exec(textOf(await called()))?.[0] ?? "";
    const read = async (id: string) => {
      const response = await manage(owner, "GET", `/approvals/${id}`);
      return (await response.json()) as { readonly state: string; readonly digest: string; readonly callId?: string };
    };

    const approvalId = await waiting();
    const { digest } = await read(approvalId);
    const decision = { decision: "approve", digest };
    expect((await manage(owner, "POST", `/approvals/${approvalId}/decision`, decision)).status).toBe(200);
    const lost = called().catch(() => undefined);
    await expect.poll(() => upstream.waiting).toBe(1);
    await dying.kill();
    await lost;
    await dying.restart();
    const { state, callId } = await read(approvalId);
    expect(state).toBe("consumed");
    const records = await auditRecords(owner, "slow");
    expect(records.find(({ id }) => id === callId)).toMatchObject({ outcome: "unknown", details: { approvalId } });
    expect(await waiting()).not.toBe(approvalId);
    expect(upstream.requests).toHaveLength(1);
  });
});
