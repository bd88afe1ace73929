import artifact from "countersign:configuration";
import { AuditShard } from "../../../infra/cloudflare/audit-shard.ts";
import { worker } from "../../../infra/cloudflare/handler.ts";
import { McpSession } from "../../../infra/cloudflare/mcp-session.ts";
import { Registry } from "../../../infra/cloudflare/registry.ts";
import { TokenShard } from "../../../infra/cloudflare/token-shard.ts";
import { UpstreamCall } from "../../../infra/cloudflare/upstream-call.ts";

// The names that `wrangler.toml` binds the Durable Objects by.
export { AuditShard, McpSession, Registry, TokenShard, UpstreamCall };

const now = Date.now;
let moved = 0;
Date.now = () => now() + moved;

const product = worker(artifact);

/** The product as a Worker, whose clock a request to `/advance?by=` moves by so many milliseconds. */
export default {
  async fetch(request, env, context) {
    const { pathname, searchParams } = new URL(request.url);
    if (pathname !== "/advance") return product.fetch(request, env, context);
    moved += Number(searchParams.get("by"));
    return new Response();
  },
};
