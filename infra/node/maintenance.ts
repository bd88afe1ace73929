import type { Maintained } from "../../functions/routes.ts";

/** Milliseconds between two checks for due work. */
const INTERVAL = 250;
/** Milliseconds between two looks for security events that are due to be fetched. */
const POLL_EVERY = 1_000;
/** Milliseconds between two looks for providers that have to be told of revoked tokens. */
const REVOKE_EVERY = 10_000;

export interface RunningMaintenance {
  /** Also ends work that has begun: nobody waits for it any more. */
  stop(): void;
}

/** Opens and refreshes what the instance needs from elsewhere, such as keys and metadata. It begins at once and does not keep the process alive. */
export function startMaintenance({
  refresh,
  revoke,
  poll,
}: Pick<Maintained, "refresh"> & Partial<Pick<Maintained, "revoke" | "poll">>): RunningMaintenance {
  const stopping = new AbortController();
  const look = () => refresh({ waitUntil: () => undefined, signal: stopping.signal });
  const timer = setInterval(look, INTERVAL);
  const polling = setInterval(() => void poll?.({ waitUntil: () => undefined }), POLL_EVERY);
  const revoking = setInterval(() => void revoke?.(), REVOKE_EVERY);
  timer.unref();
  revoking.unref();
  polling.unref();
  look();
  return {
    stop: () => {
      clearInterval(timer);
      clearInterval(revoking);
      clearInterval(polling);
      stopping.abort();
    },
  };
}
