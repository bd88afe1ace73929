import type { StateBindings } from "../../../infra/cloudflare/env.ts";
import { plainLogger } from "../../../infra/cloudflare/log.ts";
import { cloudflareStores } from "../../../infra/cloudflare/stores.ts";
import { APART, createLimiter } from "../../../lib/limits/create-limiter.ts";
import type { Limiter } from "../../../lib/limits/limiter.ts";
import { type Round, takeRound } from "../../limits/many/round.ts";

let limiter: Limiter | undefined;

/** One isolate that counts as the product's Worker does, with the same Durable Objects as all others. */
export default {
  async fetch(request, env) {
    const clock = { now: () => Date.now() };
    limiter ??= createLimiter({ stores: cloudflareStores(env, clock), clock, logger: plainLogger() }, APART);
    return Response.json(await takeRound(limiter, await request.json<Round>()));
  },
} satisfies ExportedHandler<StateBindings>;
