import artifact from "countersign:configuration";
import { AuditShard } from "./audit-shard.ts";
import type { WorkerEnv } from "./env.ts";
import { product } from "./handler.ts";
import { McpSession } from "./mcp-session.ts";
import { Registry } from "./registry.ts";
import { TokenShard as Shard, type TellProviders } from "./token-shard.ts";
import { UpstreamCall } from "./upstream-call.ts";

const { handler, revoke } = product(artifact);

/** Its alarm tells providers, which the instance of the isolate that it is in knows. */
class TokenShard extends Shard {
  override readonly tellProviders: TellProviders = (records) => revoke(records, this.env as WorkerEnv, this.ctx);
}

// The names that `wrangler.toml` binds the Durable Objects by.
export { AuditShard, McpSession, Registry, TokenShard, UpstreamCall };

export default handler;
