import type { Deadline } from "./deadline.ts";
import type { Upstream } from "./upstream.ts";
import { tooLarge } from "./wire/upstream-failure.ts";

/** Bytes of a message that is looked at as a whole. */
const HELD = 64 * 1024;

/**
 * For a question of our own, which comes before the agent's: nothing of its answer goes to the agent, so that it may not be long, and
 * what the upstream says besides gives it no more time.
 *
 * @param what is asked for, for the failure of a long answer
 */
export function ownQuestion(
  upstream: Upstream,
  deadline: Deadline,
  what: string,
): { readonly upstream: Upstream; readonly deadline: Deadline } {
  const openAnswer = () => {
    throw tooLarge(what, HELD);
  };
  return {
    upstream: { ...upstream, agent: { ...upstream.agent, openAnswer } },
    deadline: { ...deadline, extend: () => undefined },
  };
}
