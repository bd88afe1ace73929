import { afterAll, beforeAll, describe } from "vitest";
import type { RuntimeUnderTest } from "../support/runtime.ts";
import { legacySse } from "./mcp-clients/legacy-sse.ts";
import { sessions } from "./mcp-clients/sessions.ts";
import { signingIn } from "./mcp-clients/signing-in.ts";
import { stateless } from "./mcp-clients/stateless.ts";
import { holdsStreams, type McpClientsUnderTest, startMcpClients } from "./mcp-clients/under-test.ts";

/** Every way in which MCP clients that nobody here wrote connect and stay connected. */
export function mcpClients(runtime: RuntimeUnderTest): void {
  describe("connections of MCP clients", () => {
    let started: McpClientsUnderTest;
    const it = () => started;
    const streams = holdsStreams(runtime);

    beforeAll(async () => {
      started = await startMcpClients(runtime);
    });
    afterAll(() => started.stop());

    sessions(it, { streams });
    stateless(it, { streams });
    if (streams) legacySse(it);
    signingIn(it);
  });
}
