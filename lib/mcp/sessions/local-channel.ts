import type { SessionChannel, SessionSignal } from "../../stores/session-channel.ts";

/** Between the requests of one process. What the process knows of a session ends with the last request that follows it. */
export function localSessionChannel(): SessionChannel {
  const sessions = new Map<string, Set<Follower>>();

  return {
    publish: async (sessionHash, signal) => {
      // Whoever begins to follow on hearing the signal hears the next one first.
      const followers = [...(sessions.get(sessionHash) ?? [])];
      let handed = 0;
      for (const follower of followers) {
        if (follower.stopped) continue;
        hand(signal, follower);
        handed += 1;
      }
      return handed;
    },
    follow: async (sessionHash, receive) => {
      const follower: Follower = { receive, stopped: false };
      const followers = sessions.get(sessionHash) ?? new Set();
      sessions.set(sessionHash, followers.add(follower));
      return {
        // One for each follower: what waits for a promise stays in memory for as long as the promise.
        lost: Promise.withResolvers<void>().promise,
        stop: () => {
          follower.stopped = true;
          followers.delete(follower);
          if (followers.size === 0 && sessions.get(sessionHash) === followers) sessions.delete(sessionHash);
        },
      };
    },
  };
}

interface Follower {
  readonly receive: (signal: SessionSignal) => void;
  stopped: boolean;
}

/** What one receiver throws is no matter of the others, nor of who publishes. */
function hand(signal: SessionSignal, { receive }: Follower): void {
  try {
    receive(signal);
  } catch {
    // The receiver has broken its word; whoever publishes could do nothing about it.
  }
}
