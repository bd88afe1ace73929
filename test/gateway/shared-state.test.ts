import { describe, expect, test } from "vitest";
import { VERSION } from "../../lib/kernel/version.ts";
import { RESOURCE } from "./started.ts";
import { withGateway } from "./with-gateway.ts";

const it = withGateway();
const METADATA = ["/.well-known/oauth-protected-resource", "/.well-known/oauth-protected-resource/mcp"] as const;
const good = { aud: RESOURCE, scope: "notes:read" };
const fetches = (url: string) => it.gateway.fetched.filter((one) => one === url).length;

describe("what the gateway's endpoints share", () => {
  test("a call and both metadata addresses read discovery once, and the keys once", async () => {
    for (const path of METADATA) expect((await it.gateway.send(path)).status).toBe(200);
    expect(await it.statusOf(await it.server.sign(good))).toBe(200);
    for (const path of METADATA) expect((await it.gateway.send(path)).status).toBe(200);
    expect(fetches(it.server.wellKnown)).toBe(1);
    expect(fetches(`${it.server.issuer}/jwks`)).toBe(1);
  });

  test("an unknown key makes discovery be read again: where the keys are may have moved", async () => {
    expect(await it.statusOf(await it.server.sign(good))).toBe(200);
    await it.server.rotate();
    expect(await it.statusOf(await it.server.sign(good))).toBe(200);
    expect(fetches(it.server.wellKnown)).toBe(2);
  });
});

describe("the scopes that the metadata and a challenge name", () => {
  const named = async () => {
    const metadata = (await (await it.gateway.send(METADATA[0])).json()) as { scopes_supported?: string[] };
    const challenge = (await it.gateway.send("/mcp", { method: "POST" })).headers.get("www-authenticate") ?? "";
    return { metadata: metadata.scopes_supported, challenge: / scope="([^"]*)"/.exec(challenge)?.[1] };
  };

  test("are those that some tool needs, none of an entry that matches no tool or comes too late", async () => {
    await it.restart({
      inboundTools: [
        { name: "noSuchTool", scopes: ["nobody:needs"] },
        { name: "getNote", scopes: ["notes:read"] },
        { name: "/getNote/", scopes: ["too:late"] },
        { name: "/list.*/", scopes: ["notes:list", "notes:read"] },
      ],
    });
    expect(await named()).toEqual({ metadata: ["notes:list", "notes:read"], challenge: "notes:list notes:read" });
  });

  test("are left out when no tool needs any", async () => {
    await it.restart({ inboundTools: [{ name: "noSuchTool", scopes: ["nobody:needs"] }] });
    expect(await named()).toEqual({ metadata: undefined, challenge: undefined });
  });
});

test("the gateway says the version of the product to its clients", async () => {
  const params = { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "test", version: "1" } };
  const response = await it.gateway.send("/mcp", {
    method: "POST",
    headers: {
      authorization: `Bearer ${await it.server.sign(good)}`,
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
    },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "initialize", params }),
  });
  expect(await response.text()).toContain(`"serverInfo":{"name":"gateway","version":"${VERSION}"}`);
});
