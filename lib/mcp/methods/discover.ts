import type { Gateway } from "../../gateway/gateway.ts";
import type { MethodContext } from "../caller.ts";
import type { RpcRequest } from "../message.ts";
import { STATELESS_REVISIONS } from "../revisions.ts";
import { selfDescription } from "../self-description.ts";
import { type MethodAnswer, resultAnswer } from "./method-answer.ts";

/** `server/discover` (MCP 2026-07-28): revisions with a handshake are agreed on by that alone, so they are not listed. */
export async function discover(_: RpcRequest, caller: MethodContext, gateway: Gateway): Promise<MethodAnswer> {
  const hears = gateway.dependencies.sessionChannel !== undefined;
  const described = await selfDescription({ hears, chooses: true }, caller, gateway);
  return resultAnswer({ supportedVersions: STATELESS_REVISIONS, ...described });
}
