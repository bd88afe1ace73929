import { AuditShard } from "../../../infra/cloudflare/audit-shard.ts";
import type { StateBindings } from "../../../infra/cloudflare/env.ts";
import { McpSession } from "../../../infra/cloudflare/mcp-session.ts";
import { Registry } from "../../../infra/cloudflare/registry.ts";
import { cloudflareStores } from "../../../infra/cloudflare/stores.ts";
import { TokenShard } from "../../../infra/cloudflare/token-shard.ts";
import { UpstreamCall } from "../../../infra/cloudflare/upstream-call.ts";
import type { Stores } from "../../../lib/stores/stores.ts";

export { AuditShard, McpSession, Registry, TokenShard, UpstreamCall };

type AnyPort = Readonly<Record<string, (...parameters: readonly unknown[]) => Promise<unknown>>>;

/** As long as the isolate lives, as in the product: one for each caller's clock. */
const opened = new Map<string, Stores>();

/**
 * The store ports over HTTP, so that the contract suites reach them: `POST /<ahead>/<port>/<method>` with the arguments as
 * JSON. `ahead`: by how many milliseconds the caller's clock is ahead.
 */
export default {
  async fetch(request, env) {
    const [, ahead = "0", port = "", method = ""] = new URL(request.url).pathname.split("/");
    const ports = storesOf(env, ahead) as unknown as Readonly<Record<string, AnyPort>>;
    const call = ports[port]?.[method];
    if (call === undefined) return Response.json({ error: `There is no ${port}.${method}.` }, { status: 404 });
    try {
      return Response.json({ value: await call(...argumentsOf(await request.json<unknown[]>())) });
    } catch (error) {
      return Response.json({ error: String(error) }, { status: 500 });
    }
  },
} satisfies ExportedHandler<StateBindings>;

/** JSON has no undefined, and no operation takes null. */
function argumentsOf(parameters: readonly unknown[]): readonly unknown[] {
  return parameters.map((parameter) => parameter ?? undefined);
}

function storesOf(env: StateBindings, ahead: string): Stores {
  const known = opened.get(ahead);
  if (known !== undefined) return known;
  const stores = cloudflareStores(env, { now: () => Date.now() + Number(ahead) });
  opened.set(ahead, stores);
  return stores;
}
