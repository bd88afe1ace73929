import { DurableObject } from "cloudflare:workers";
import { callPlace } from "../../lib/proxy/waiting/remote/place.ts";
import { WAITING_LIMITS } from "../../lib/proxy/waiting/room.ts";
import { webCryptoRandom } from "../../lib/random.ts";
import type { StateBindings } from "./env.ts";
import { plainLogger } from "./log.ts";
import { principalRoom } from "./principal-room.ts";

/** Milliseconds: who entered is gone after it, though nobody said so, because its object ended before. Longer than a call waits. */
const LONGEST = 10 * 60_000;

/**
 * One call at an upstream with its connections, which no request of a Worker could hand to another (D29, D125), by a name that
 * nobody can guess. They are in memory alone, and nothing is stored: a call is lost with its object. Timers and work that goes
 * on keep an object without a request. By the name of a principal it counts which calls of that wait.
 */
export class UpstreamCall extends DurableObject<StateBindings> {
  readonly #entered = new Map<string, ReturnType<typeof setTimeout>>();
  readonly #logger = plainLogger();
  readonly #place = callPlace({
    random: webCryptoRandom,
    fetch: (input, init) => fetch(input, init),
    logger: this.#logger,
    waitUntil: (work) => this.ctx.waitUntil(work),
    room: principalRoom(this.env, String(this.ctx.id), this.#logger, (work) => this.ctx.waitUntil(work)),
  });

  /** An order to the place of the call; answers with what comes of it. */
  override async fetch(request: Request): Promise<Response> {
    return new Response(this.#place(await request.text(), request.signal));
  }

  /** A call of the principal begins to wait; false: too many do. */
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
