/** State of one region: the bindings that `wrangler.toml` declares for each environment. `objects.ts` says what objects can do. */
export interface StateBindings {
  readonly REGISTRY: DurableObjectNamespace;
  readonly TOKEN_SHARDS: DurableObjectNamespace;
  readonly AUDIT_SHARDS: DurableObjectNamespace;
  readonly MCP_SESSIONS: DurableObjectNamespace;
  readonly UPSTREAM_CALLS: DurableObjectNamespace;
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
