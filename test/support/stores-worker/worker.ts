import { AuditShard } from "../../../infra/cloudflare/audit-shard.ts";
import type { StateBindings } from "../../../infra/cloudflare/env.ts";
import { Registry } from "../../../infra/cloudflare/registry.ts";
import { cloudflareStores } from "../../../infra/cloudflare/stores.ts";
import { TokenShard } from "../../../infra/cloudflare/token-shard.ts";
import { systemClock } from "../../../lib/clock.ts";
import type { Stores } from "../../../lib/stores/stores.ts";

export { AuditShard, Registry, TokenShard };

type AnyPort = Readonly<Record<string, (...parameters: readonly unknown[]) => Promise<unknown>>>;

/** As long as the isolate lives, as in the product. */
let stores: Stores | undefined;

/** The store ports over HTTP, so that the contract suites reach them: `POST /<port>/<method>` with the arguments as JSON. */
export default {
  async fetch(request, env) {
    const [, port = "", method = ""] = new URL(request.url).pathname.split("/");
    stores ??= cloudflareStores(env, systemClock);
    const ports = stores as unknown as Readonly<Record<string, AnyPort>>;
    const call = ports[port]?.[method];
    if (call === undefined) return Response.json({ error: `There is no ${port}.${method}.` }, { status: 404 });
    try {
      return Response.json({ value: await call(...(await request.json<unknown[]>())) });
    } catch (error) {
      return Response.json({ error: String(error) }, { status: 500 });
    }
  },
} satisfies ExportedHandler<StateBindings>;
