import { remoteWaitingCalls } from "../../lib/proxy/waiting/remote/remote.ts";
import type { WaitingCalls } from "../../lib/proxy/waiting/waiting-calls.ts";
import { webCryptoRandom } from "../../lib/random.ts";
import type { StateBindings } from "./env.ts";
import { upstreamCallOf } from "./objects.ts";

/** Each call that an upstream may ask in has an object of its own. */
export function cloudflareWaitingCalls(env: StateBindings): WaitingCalls {
  return remoteWaitingCalls(webCryptoRandom, async (name, order, signal) => {
    const { ok, status, body } = await upstreamCallOf(env, name).fetch(ORDER, { method: "POST", body: order, signal });
    if (!ok || body === null) throw new Error(`The object of a call answered with ${status}.`);
    return body;
  });
}

/** The object looks at neither host nor path. */
const ORDER = "https://upstream-call/";
