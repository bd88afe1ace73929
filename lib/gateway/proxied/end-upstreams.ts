import { causeOf } from "../../logging/cause.ts";
import type { Caller, LiveSession } from "../../mcp/caller.ts";
import { endSession } from "../../proxy/session/end.ts";
import type { Gateway } from "../gateway.ts";
import { atSessions } from "./session-upstreams.ts";

/** The sessions at upstreams that a session has now, to be ended with it: what ends them. It rejects for no upstream's sake. */
export async function upstreamsOf(
  { reference }: LiveSession,
  caller: Caller,
  gateway: Gateway,
): Promise<() => Promise<void>> {
  if (gateway.proxies.apps.length === 0) return async () => undefined;
  const { stores, clock } = gateway.dependencies;
  const record = await stores.mcpSessions.get(reference.sessionHash, clock.now());
  const failed = (app: string, cause: unknown) =>
    caller.request.logger.debug("upstream session not ended", { app, cause: causeOf(cause) });
  return () => atSessions(record?.upstreams, { at: endSession, failed }, caller, gateway);
}
