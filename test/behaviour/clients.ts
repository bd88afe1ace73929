import {
  Client,
  type OAuthClientProvider,
  PrivateKeyJwtProvider,
  StreamableHTTPClientTransport,
} from "@modelcontextprotocol/client";
import { PrivateKeyJwtProvider as OldPrivateKeyJwtProvider } from "@modelcontextprotocol/sdk/client/auth-extensions.js";
import { Client as OldClient } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport as OldTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { VERSION } from "../../lib/kernel/version.ts";
import type { RuntimeUnderTest } from "../support/runtime.ts";
import { createSigner, type Signer } from "./fixture.ts";
import { auditOutcome, type GatewayUnderTest, mcpURL, startGateway } from "./gateway-fixture.ts";

/** MCP clients that nobody here wrote: from the 401 through discovery and token to a tool's answer. */
export function realClients(runtime: RuntimeUnderTest): void {
  describe("MCP clients", () => {
    let it: GatewayUnderTest;
    let writer: Signer;

    beforeAll(async () => {
      it = await startGateway(runtime, { alone: true });
      const resources = [mcpURL(it.us)];
      writer = await createSigner(it.owner, { scopes: ["notes:read", "notes:write"], resources });
    });
    afterAll(() => it.stop());

    const credentials = (signer: Signer) => ({
      clientId: signer.clientId,
      privateKey: signer.key.pem,
      algorithm: "ES256",
      expectedIssuer: it.us.url,
    });

    describe.each([
      ["the stateless generation", { mode: "auto" }, "2026-07-28"],
      ["the session generation", { mode: "legacy" }, undefined],
    ] as const)("version 2 of the SDK in %s", (_, versionNegotiation, version) => {
      let client: Client;
      beforeAll(async () => {
        client = await connect(new PrivateKeyJwtProvider(credentials(writer)), versionNegotiation);
      });
      afterAll(() => client.close());

      test("gets its token by itself and negotiates", () => {
        if (version !== undefined) expect(client.getNegotiatedProtocolVersion()).toBe(version);
        else expect(client.getNegotiatedProtocolVersion()).toMatch(/^2025-/);
        expect(client.getServerVersion()).toMatchObject({ name: "Countersign AI Identity Gateway", version: VERSION });
      });

      test("lists every tool with its schemas", async () => {
        const { tools } = await client.listTools();
        const tool = tools.find(({ name }) => name === "upstream_createNote");
        expect(tool).toMatchObject({ inputSchema: { type: "object", required: ["title"] }, title: "Write a note" });
      });

      test("calls a tool and accepts its structured content", async () => {
        const written = await client.callTool({ name: "upstream_createNote", arguments: { title: "Mine" } });
        expect(written).toMatchObject({ structuredContent: { title: "Mine", noteId: expect.any(String) } });
        await auditOutcome(it.owner, "createNote", "success");
      });

      test("accepts errors of a tool that promises an output schema", async () => {
        await client.listTools();
        const missing = await client.callTool({ name: "upstream_getNote", arguments: { noteId: "none" } });
        expect(missing).toMatchObject({ isError: true });
        expect(await client.callTool({ name: "upstream_shape", arguments: {} })).toMatchObject({ isError: true });
      });
    });

    test("version 1 of the SDK gets its token, lists and calls", async () => {
      const client = new OldClient({ name: "old", version: "1" });
      const authProvider = new OldPrivateKeyJwtProvider(credentials(writer));
      await client.connect(new OldTransport(new URL(mcpURL(it.us)), { authProvider }));
      const { tools } = await client.listTools();
      expect(tools.map(({ name }) => name)).toContain("upstream_getNote");
      const note = await client.callTool({ name: "upstream_getNote", arguments: { noteId: "1" } });
      expect(note).toMatchObject({ structuredContent: { title: "First" } });
      await client.close();
    });

    test("a client without the scope is told so, whatever it tries", async () => {
      const client = await connect(new PrivateKeyJwtProvider(credentials(it.reader)), { mode: "auto" });
      await expect(client.callTool({ name: "upstream_createNote", arguments: { title: "No" } })).rejects.toThrow();
      await auditOutcome(it.owner, "createNote", "denied");
      const note = await client.callTool({ name: "upstream_getNote", arguments: { noteId: "1" } });
      expect(note).toMatchObject({ structuredContent: { title: "First" } });
      await client.close();
    });

    async function connect(
      authProvider: OAuthClientProvider,
      versionNegotiation: { readonly mode: "auto" | "legacy" },
    ): Promise<Client> {
      const client = new Client({ name: "test", version: "1" }, { versionNegotiation });
      await client.connect(new StreamableHTTPClientTransport(new URL(mcpURL(it.us)), { authProvider }));
      return client;
    }
  });
}
