import { sha256base64url } from "../../lib/encoding.ts";
import { causeOf } from "../../lib/logging/cause.ts";
import type { Logger } from "../../lib/logging/logger.ts";
import type { WaitingRoom } from "../../lib/proxy/waiting/room.ts";
import type { StateBindings } from "./env.ts";
import { upstreamCallOf } from "./objects.ts";

/** Where calls of a principal are counted while they wait: an object that each of them enters and leaves. */
export function principalRoom(
  env: StateBindings,
  call: string,
  logger: Pick<Logger, "error">,
  waitUntil: (work: Promise<void>) => void,
): WaitingRoom {
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
