import type { Gateway } from "../../gateway/gateway.ts";
import type { JsonObject } from "../../json.ts";
import type { MethodContext } from "../caller.ts";
import { capabilities } from "../capabilities.ts";
import type { RpcRequest } from "../message.ts";
import { STATELESS_REVISIONS } from "../revisions.ts";

/** `server/discover` (MCP 2026-07-28): revisions with a handshake are agreed on by that alone, so they are not listed. */
export async function discover(_: RpcRequest, __: MethodContext, { dependencies }: Gateway): Promise<JsonObject> {
  const hears = dependencies.sessionChannel !== undefined;
  return { supportedVersions: STATELESS_REVISIONS, capabilities: capabilities({ hears, chooses: true }) };
}
