import artifact from "countersign:configuration";
import { AuditShard } from "../../../infra/cloudflare/audit-shard.ts";
import type { WorkerEnv } from "../../../infra/cloudflare/env.ts";
import { worker } from "../../../infra/cloudflare/handler.ts";
import { McpSession } from "../../../infra/cloudflare/mcp-session.ts";
import { Registry as ProductRegistry } from "../../../infra/cloudflare/registry.ts";
import { TokenShard } from "../../../infra/cloudflare/token-shard.ts";
import { UpstreamCall } from "../../../infra/cloudflare/upstream-call.ts";
import type { VerificationRecord } from "../../../lib/stores/api-clients.ts";

/** The product's registry, counting how often it is asked for what assertions are verified with. */
class Registry extends ProductRegistry {
  #reads = 0;

  override verificationRecord(clientId: string): VerificationRecord | undefined {
    this.#reads += 1;
    return super.verificationRecord(clientId);
  }

  /** Since the object began. */
  verificationReads(): number {
    return this.#reads;
  }
}

export { AuditShard, McpSession, Registry, TokenShard, UpstreamCall };

const product = worker(artifact);

/** The product's Worker, and the count at a path of its own. */
export default {
  async fetch(request, env, context) {
    if (new URL(request.url).pathname !== "/verification-reads") return product.fetch?.(request, env, context) as never;
    const registry = env.REGISTRY.getByName(env.REGION) as unknown as DurableObjectStub<Registry>;
    return Response.json(await registry.verificationReads());
  },
} satisfies ExportedHandler<WorkerEnv>;
