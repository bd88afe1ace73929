import type { AuditShard } from "./audit-shard.ts";
import type { McpSession } from "./mcp-session.ts";
import type { Registry } from "./registry.ts";
import type { TokenShard } from "./token-shard.ts";
import type { UpstreamCall } from "./upstream-call.ts";

/** State of one region: the bindings that `wrangler.toml` declares for each environment. */
export interface StateBindings {
  readonly REGISTRY: DurableObjectNamespace<Registry>;
  readonly TOKEN_SHARDS: DurableObjectNamespace<TokenShard>;
  readonly AUDIT_SHARDS: DurableObjectNamespace<AuditShard>;
  readonly MCP_SESSIONS: DurableObjectNamespace<McpSession>;
  readonly UPSTREAM_CALLS: DurableObjectNamespace<UpstreamCall>;
  /** Cache of verification records. */
  readonly CLIENTS: KVNamespace;
  readonly REGION: string;
}

/** Everything the Worker is started with: state, and the variables and secrets that fill the configuration's placeholders. */
export interface WorkerEnv extends StateBindings {
  /** Where secrets come from, for example `env://CS_`. */
  readonly SVC_SECRET_PROVIDER?: string;
  /** The files of the Console. */
  readonly ASSETS?: Fetcher;
}
