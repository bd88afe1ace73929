import { afterAll, beforeAll, describe } from "vitest";
import { sessionsOfOthers } from "../security/25-sessions.ts";
import { sessionsSideBySide } from "../security/39-sessions.ts";
import type { RuntimeUnderTest } from "../support/runtime.ts";
import { batches } from "./mcp/batches.ts";
import { callsInSessions } from "./mcp/calls.ts";
import { connections } from "./mcp/connections.ts";
import { holdsStreams, type McpUnderTest, startMcp } from "./mcp/fixture.ts";
import { legacyTransport } from "./mcp/legacy.ts";
import { listening, noListening } from "./mcp/listen.ts";
import { sessionLifecycle } from "./mcp/session-lifecycle.ts";
import { sessionRequests } from "./mcp/session-requests.ts";
import { noSessionStreams, sessionStreams } from "./mcp/session-streams.ts";
import { stateless } from "./mcp/stateless.ts";
import { statelessHeaders } from "./mcp/stateless-headers.ts";

/** What MCP says of its transports, message by message: both generations on one path, and HTTP+SSE. */
export function mcpTransports(runtime: RuntimeUnderTest): void {
  describe("MCP transports", () => {
    let started: McpUnderTest;
    const it = () => started;
    const streams = holdsStreams(runtime);

    beforeAll(async () => {
      started = await startMcp(runtime);
    });
    afterAll(() => started.stop());

    sessionLifecycle(it, { streams });
    sessionRequests(it);
    batches(it);
    callsInSessions(it, { streams });
    (streams ? sessionStreams : noSessionStreams)(it);
    stateless(it, { streams });
    statelessHeaders(it);
    (streams ? listening : noListening)(it);
    if (streams) legacyTransport(it);
    connections(it, { ownServer: runtime.name === "node" });
    sessionsOfOthers(it, { streams });
    sessionsSideBySide(it, { streams });
  });
}
