/** Before the first retry; it doubles with each further one, up to the longest, milliseconds. */
const FIRST_WAIT = 500;
const LONGEST_WAIT = 5_000;

/** Statuses of a collector that may take the same data later (OTLP 1.x, failures). */
const RETRYABLE: ReadonlySet<number> = new Set([429, 502, 503, 504]);

export function isRetryable(status: number): boolean {
  return RETRYABLE.has(status);
}

/**
 * Milliseconds to wait before another attempt: what the collector asks for (RFC 9110 §10.2.3), else a growing time that
 * varies, so that many senders do not come back together.
 *
 * @param attempt from 0
 * @param jitter 0 to 1
 * @param now milliseconds since the epoch
 */
export function waitBefore(attempt: number, retryAfter: string | null, jitter: number, now: number): number {
  const asked = retryAfter === null ? undefined : parseRetryAfter(retryAfter, now);
  return asked ?? Math.min(LONGEST_WAIT, FIRST_WAIT * 2 ** attempt) * (0.5 + jitter / 2);
}

/** Seconds or a date; undefined when it is neither. */
function parseRetryAfter(text: string, now: number): number | undefined {
  if (/^\d{1,9}$/.test(text)) return Number(text) * 1_000;
  // Only dates of HTTP, which end so: Date.parse takes nearly anything.
  const date = text.endsWith(" GMT") ? Date.parse(text) : Number.NaN;
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}

/** Resolves after the time, or at once when the signal aborts. */
export function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) {
      resolve();
      return;
    }
    const end = () => {
      clearTimeout(timer);
      signal.removeEventListener("abort", end);
      resolve();
    };
    const timer = setTimeout(end, milliseconds);
    signal.addEventListener("abort", end);
  });
}
