import type { SpokenUpstream } from "../upstream.ts";
import type { Attached } from "../waiting/waiting-calls.ts";

/**
 * The upstream of a call that outlives requests of the agent, as the request of the moment reaches it: with its credential, and with
 * its id for the answer.
 */
export function currentUpstream(attached: () => Attached, signal: AbortSignal): SpokenUpstream {
  const { upstream: first } = attached();
  const current = () => attached().upstream;
  return {
    ...first,
    signal,
    agent: {
      ...first.agent,
      // What the call cannot wait for is refused.
      hearsRequests: false,
      get id() {
        return current().agent.id;
      },
      relay: (message) => current().agent.relay(message),
      openAnswer: () => current().agent.openAnswer(),
    },
    get request() {
      return current().request;
    },
    get fetch() {
      return current().fetch;
    },
    get headers() {
      return current().headers;
    },
  };
}
