import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { localConnections } from "../../../lib/upstream/sse/held-connections.ts";
import { type InProcess, ISSUER, startInProcess } from "../../support/in-process.ts";
import { APP } from "../bridge/agent.ts";
import { type SdkServer, startSdkServer } from "./sdk-server.ts";

let upstream: SdkServer;
beforeAll(async () => {
  upstream = await startSdkServer();
});
afterAll(() => upstream.close());

async function gateway(isHolding: boolean): Promise<InProcess> {
  return startInProcess({
    configuration: {
      mcpProvider: {
        serverName: "gateway",
        stream: {
          path: "/mcp",
          resource: `${ISSUER}/mcp`,
          session: { headerName: "Mcp-Session-Id", allowClientTermination: true, timeout: 3_600_000 },
        },
        oauth: { enabled: false, metadataPath: "/resource-metadata", servers: [] },
        allowedOrigins: [ISSUER],
        allowedHosts: [new URL(ISSUER).host],
      },
      apps: [{ ...APP, name: "desk", namespace: "desk_", transport: "sse", url: upstream.url }],
    },
    adapt: (dependencies) => ({ ...dependencies, ...(isHolding && { upstreamConnections: localConnections() }) }),
  });
}

/** An agent of the SDK, in a session. */
async function connect(inProcess: InProcess) {
  const client = new Client({ name: "agent", version: "1" });
  const transport = new StreamableHTTPClientTransport(new URL(`${ISSUER}/mcp`), {
    fetch: (url, init) => inProcess.send(new URL(url).pathname, init),
  });
  await client.connect(transport);
  const call = async (name: string) => {
    const { content } = await client.callTool({ name: `desk_${name}` });
    return (content as { readonly text: string }[])[0]?.text;
  };
  return { client, transport, call };
}

describe("a server of the legacy transport behind the gateway", () => {
  let holding: InProcess;
  let others: InProcess;
  beforeAll(async () => {
    [holding, others] = await Promise.all([gateway(true), gateway(false)]);
  });
  afterAll(() => Promise.all([holding.close(), others.close()]));

  test("keeps its state for as long as an agent's session", async () => {
    const [one, other] = await Promise.all([connect(holding), connect(holding)]);
    const { tools } = await one.client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(["desk_count", "desk_long", "desk_slow"]);
    expect([await one.call("count"), await one.call("count"), await other.call("count")]).toEqual(["1", "2", "1"]);
    expect(upstream.connections.size).toBe(2);
    for (const { transport } of [one, other]) await transport.terminateSession();
    await expect.poll(() => upstream.connections.size).toBe(0);
  });

  test("has its progress, its long answers and what it says between requests delivered", async () => {
    const { client, transport, call } = await connect(holding);
    const changed = Promise.withResolvers<void>();
    client.setNotificationHandler("notifications/tools/list_changed", () => changed.resolve());
    const progress: number[] = [];
    const onprogress = (told: { readonly progress: number }) => void progress.push(told.progress);
    await client.callTool({ name: "desk_slow" }, { onprogress });
    expect(progress).toEqual([1]);
    expect(await call("long")).toHaveLength(300_000);
    for (const server of upstream.connections.values()) server.sendToolListChanged();
    await changed.promise;
    await transport.terminateSession();
  });

  test("is connected to anew for each request where nothing is held", async () => {
    const { client, call } = await connect(others);
    const { tools } = await client.listTools();
    expect(tools).toHaveLength(3);
    expect([await call("count"), await call("count")]).toEqual(["1", "1"]);
    expect(await call("long")).toHaveLength(300_000);
    await expect.poll(() => upstream.connections.size).toBe(0);
  });
});
