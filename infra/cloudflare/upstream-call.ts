import { DurableObject } from "cloudflare:workers";
import { sha256base64url } from "#sha256";
import { webCryptoRandom } from "../../lib/kernel/random.ts";
import { causeOf } from "../../lib/logging/cause.ts";
import type { Logger } from "../../lib/logging/logger.ts";
import { WAITING_LIMITS, type WaitingCallQuota } from "../../lib/upstream/waiting/quota.ts";
import { callPlace } from "../../lib/upstream/waiting/remote/call-place.ts";
import type { StateBindings } from "./env.ts";
import { plainLogger } from "./log.ts";
import type { Methods, UPSTREAM_CALL } from "./object-operations.ts";
import { upstreamCallOf } from "./objects.ts";

/** Milliseconds: who entered is gone after it, though nobody said so, because its object ended before. Longer than a call waits. */
const LONGEST = 10 * 60_000;

/**
 * One call at an upstream with its connections, which no request of a Worker could hand to another (D29, D125), by a name that
 * nobody can guess. They are in memory alone, and nothing is stored: a call is lost with its object. Timers and work that goes
 * on keep an object without a request. By the name of a principal it counts which calls of that wait.
 */
export class UpstreamCall extends DurableObject<StateBindings> implements Methods<typeof UPSTREAM_CALL> {
  readonly #entered = new Map<string, ReturnType<typeof setTimeout>>();
  readonly #logger = plainLogger();
  readonly #place = callPlace({
    random: webCryptoRandom,
    fetch: (input, init) => fetch(input, init),
    logger: this.#logger,
    waitUntil: (work) => this.ctx.waitUntil(work),
    quota: waitingCallQuota(this.env, String(this.ctx.id), this.#logger, (work) => this.ctx.waitUntil(work)),
  });

  /** An order to the place of the call; answers with what comes of it. */
  override async fetch(request: Request): Promise<Response> {
    return new Response(this.#place(await request.text(), request.signal));
  }

  enter(call: string): boolean {
    if (this.#entered.size >= WAITING_LIMITS.perPrincipal) return false;
    this.#entered.set(
      call,
      setTimeout(() => this.#entered.delete(call), LONGEST),
    );
    return true;
  }

  leave(call: string): void {
    clearTimeout(this.#entered.get(call));
    this.#entered.delete(call);
  }
}

/** Where calls of a principal are counted while they wait: an object that each of them enters and leaves. */
function waitingCallQuota(
  env: StateBindings,
  call: string,
  logger: Pick<Logger, "error">,
  waitUntil: (work: Promise<void>) => void,
): WaitingCallQuota {
  return {
    enter: async (principal, over) => {
      // No name of a call has a colon.
      const room = upstreamCallOf(env, `principal:${sha256base64url(principal)}`);
      try {
        if (!(await room.enter(call))) return false;
      } catch (cause) {
        logger.error("the calls of a principal that wait could not be counted", { cause: causeOf(cause) });
        return false;
      }
      // One that does not leave is forgotten after a while.
      const leave = () => room.leave(call).catch(() => undefined);
      waitUntil(over.then(leave));
      return true;
    },
  };
}
