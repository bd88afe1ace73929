import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { RESOURCE } from "../gateway/started.ts";
import { withGateway } from "../gateway/with-gateway.ts";
import { type Opa, startOpa } from "../support/opa.ts";

const it = withGateway();
let opa: Opa;
beforeAll(async () => {
  opa = await startOpa();
});
afterAll(() => opa.stop());

describe("26. a policy", () => {
  const send = async (headers: Readonly<Record<string, string>>) =>
    it.gateway.send("/mcp", {
      method: "POST",
      headers: {
        authorization: `Bearer ${await it.server.token(RESOURCE, "jwt")}`,
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
        ...headers,
      },
      body: JSON.stringify({
        jsonrpc: "2.0",
        id: 1,
        method: "tools/call",
        params: { name: "getNote", arguments: { noteId: "1" } },
      }),
    });

  test("26. decides on the tool of the body, and is not asked where a header names another", async () => {
    const { url } = opa;
    await it.restart({
      policies: [{ engine: "opa", name: "opa", url, timeout: 5_000, forwardToken: false, list: false }],
    });
    opa.decide(({ request }) => request.mcp.tool?.params.name === "listTags");
    expect(await (await send({ "mcp-name": "getNote", "mcp-method": "tools/call" })).text()).toContain(
      "does not allow",
    );
    expect(opa.inputs).toHaveLength(1);
    expect((await send({ "mcp-name": "listTags" })).status).toBe(400);
    expect((await send({ "mcp-method": "tools/list" })).status).toBe(400);
    expect(opa.inputs).toHaveLength(1);
    expect(it.upstream.requests).toHaveLength(0);
  });
});
