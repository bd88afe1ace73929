import artifact from "countersign:configuration";
import { AuditShard } from "./audit-shard.ts";
import { worker } from "./handler.ts";
import { McpSession } from "./mcp-session.ts";
import { Registry } from "./registry.ts";
import { TokenShard } from "./token-shard.ts";
import { UpstreamCall } from "./upstream-call.ts";

// The names that `wrangler.toml` binds the Durable Objects by.
export { AuditShard, McpSession, Registry, TokenShard, UpstreamCall };

export default worker(artifact);
