/** What an agent is told of a request that may have been carried out although nothing says so; nothing of a safe one. */
export function beforeRepeating(method: string): string {
  return SAFE.has(method) ? "" : " Before you repeat the call, find out whether it took effect.";
}

/** RFC 9110 §9.2.1, and the QUERY method. */
const SAFE = new Set(["GET", "HEAD", "OPTIONS", "TRACE", "QUERY"]);
