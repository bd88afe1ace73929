import type { JsonObject } from "../../json.ts";
import { metaOf } from "../../mcp/message.ts";
import { CLIENT_CAPABILITIES, CLIENT_INFO, LOG_LEVEL, PROTOCOL_VERSION } from "../../mcp/meta.ts";
import { STATELESS_REVISIONS } from "../../mcp/revisions.ts";
import type { AgentSide } from "../agent-side.ts";

/** Parameters with the `_meta` that a request of the stateless generation has, of an agent that said all of it before. */
export function withEnvelope(params: JsonObject, agent: AgentSide): JsonObject {
  const { clientInfo, clientCapabilities, logLevel } = agent;
  return {
    ...params,
    _meta: {
      ...metaOf(params),
      [PROTOCOL_VERSION]: STATELESS_REVISIONS[0],
      [CLIENT_INFO]: clientInfo,
      [CLIENT_CAPABILITIES]: clientCapabilities,
      ...(logLevel !== undefined && { [LOG_LEVEL]: logLevel }),
    },
  };
}
