import artifact from "countersign:configuration";
import { AsyncLocalStorage } from "node:async_hooks";
import { AuditShard } from "../../../infra/cloudflare/audit-shard.ts";
import { worker } from "../../../infra/cloudflare/handler.ts";
import { McpSession } from "../../../infra/cloudflare/mcp-session.ts";
import { Registry } from "../../../infra/cloudflare/registry.ts";
import { TokenShard } from "../../../infra/cloudflare/token-shard.ts";
import { UpstreamCall as ProductUpstreamCall } from "../../../infra/cloudflare/upstream-call.ts";
import { PERSON_PATIENCE } from "../../../lib/upstream/server-requests.ts";

export { AuditShard, McpSession, Registry, TokenShard };

const current = new AsyncLocalStorage();
const start = globalThis.setTimeout;
globalThis.setTimeout = (work, milliseconds) => {
  if (milliseconds === PERSON_PATIENCE) current.getStore()?.onExpiry(work);
  return start(work, milliseconds);
};

/** Ids of the objects that came to life. */
const known = new Set();

export class UpstreamCall extends ProductUpstreamCall {
  #expire;

  constructor(context, env) {
    super(context, env);
    known.add(String(context.id));
  }

  onExpiry(work) {
    this.#expire = work;
  }

  fetch(request) {
    return current.run(this, () => super.fetch(request));
  }

  /** As if the person's time were over. */
  expire() {
    this.#expire?.();
  }

  /** As if the machine had died. */
  end() {
    this.ctx.abort("ended by the test");
  }
}

const product = worker(artifact);

/** The product; `/~expire` and `/~end` do that to all calls that there are. */
export default {
  async fetch(request, env, context) {
    const { pathname } = new URL(request.url);
    if (!pathname.startsWith("/~")) return product.fetch(request, env, context);
    for (const id of known) {
      const call = env.UPSTREAM_CALLS.get(env.UPSTREAM_CALLS.idFromString(id));
      // The call itself fails with the object that it ends.
      await (pathname === "/~end" ? call.end().catch(() => undefined) : call.expire());
    }
    known.clear();
    return new Response();
  },
};
