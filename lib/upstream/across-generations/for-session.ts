import type { JsonObject } from "../../kernel/json.ts";
import { metaOf } from "../../protocol/mcp/message.ts";
import { CLIENT_CAPABILITIES, CLIENT_INFO, LOG_LEVEL, PROTOCOL_VERSION } from "../../protocol/mcp/meta.ts";
import type { AgentSide } from "../agent-side.ts";
import type { UpstreamRequest } from "../spoken-upstream.ts";
import type { RewriteRules } from "../wire/rewrite-rules.ts";

const ENVELOPE = [PROTOCOL_VERSION, CLIENT_CAPABILITIES, CLIENT_INFO, LOG_LEVEL];

/**
 * A request of an agent without session as an upstream with sessions gets it: without what the handshake says instead, which servers of
 * both generations would go by. Its result says that it is complete, as all do in the agent's generation.
 */
export function forSession(request: UpstreamRequest, { generation }: Pick<AgentSide, "generation">): UpstreamRequest {
  if (generation === "session") return request;
  const { method, params, rules } = request;
  const { _meta, inputResponses: _, requestState: __, ...others } = params;
  const meta = Object.fromEntries(Object.entries(metaOf(params)).filter(([name]) => !ENVELOPE.includes(name)));
  const asSent: JsonObject = { ...others, ...(Object.keys(meta).length > 0 && { _meta: meta }) };
  return { ...request, params: asSent, rules: { ...rules, insert: [...(rules.insert ?? []), ...insertedIn(method)] } };
}

/** MCP 2026-07-28, `Result`, `CacheableResult`: for how long it may be kept nobody knows. */
function insertedIn(method: string): NonNullable<RewriteRules["insert"]> {
  const members = { resultType: "complete", ...(method === "resources/read" && { ttlMs: 0, cacheScope: "private" }) };
  return Object.entries(members).map(([name, value]) => ({ path: ["result"], name, json: JSON.stringify(value) }));
}
