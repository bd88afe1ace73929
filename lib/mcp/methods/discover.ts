import type { Gateway } from "../../gateway/gateway.ts";
import type { MethodContext } from "../caller.ts";
import { capabilities } from "../capabilities.ts";
import type { RpcRequest } from "../message.ts";
import { STATELESS_REVISIONS } from "../revisions.ts";
import { type MethodAnswer, resultAnswer } from "./method-answer.ts";

/** `server/discover` (MCP 2026-07-28): revisions with a handshake are agreed on by that alone, so they are not listed. */
export async function discover(_: RpcRequest, __: MethodContext, { dependencies }: Gateway): Promise<MethodAnswer> {
  const hears = dependencies.sessionChannel !== undefined;
  return resultAnswer({ supportedVersions: STATELESS_REVISIONS, capabilities: capabilities({ hears, chooses: true }) });
}
