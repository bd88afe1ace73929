import { causeOf } from "../../logging/cause.ts";
import { inTime } from "../../proxy/catalog/in-time.ts";
import { startDeadline } from "../../proxy/deadline.ts";
import { setLevel } from "../../proxy/session/set-level.ts";
import type { McpLogLevel } from "../../stores/mcp-sessions.ts";
import type { Gateway } from "../gateway.ts";
import { atConnections } from "./at-connections.ts";
import { atSessions, type SessionCaller } from "./session-upstreams.ts";

/** How long the agent waits for its upstreams, milliseconds. */
const PATIENCE = 3_000;

/**
 * Tells the upstreams of a session which log messages its agent wants from now on; sessions that begin later are told then.
 * Never rejects for an upstream's sake: log messages are no reason to fail.
 */
export async function setUpstreamLevels(level: McpLogLevel, caller: SessionCaller, gateway: Gateway): Promise<void> {
  const { request, session } = caller;
  const failed = (app: string, cause: unknown) =>
    request.logger.debug("an upstream's log level was not set", { app, cause: causeOf(cause) });
  const work = atSessions(
    session.record.upstreams,
    {
      at: async (at, upstream) => {
        const deadline = startDeadline(upstream.app.timeout);
        const agent = { ...upstream.agent, logLevel: level };
        await setLevel(at, { ...upstream, agent }, deadline).finally(deadline.end);
      },
      failed,
    },
    caller,
    gateway,
  );
  // Nobody waits for what is answered to it on a connection.
  const message = { id: "level", method: "logging/setLevel", params: { level } };
  const told = Promise.all([work, atConnections({ message, failed }, caller, gateway)]).then(() => undefined);
  request.waitUntil(told);
  // Whoever is late is told all the same.
  await inTime(PATIENCE, told).catch(() => undefined);
}
