import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { behaviourConfiguration } from "../behaviour/configuration.ts";
import { createSigner, type Owner, setUpOwner } from "../behaviour/fixture.ts";
import { auditRecords, bearer, call, gatewayToken, mcpURL, post, rpc } from "../behaviour/gateway-fixture.ts";
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
