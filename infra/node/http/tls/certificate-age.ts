import type { X509Certificate } from "node:crypto";

const DAY = 86_400_000;
const WARNING_DAYS = 7;

/** What is to be said about a certificate's lifetime at a time, milliseconds since the epoch; undefined when nothing is. */
export function lifetimeProblem({ validFrom, validTo }: X509Certificate, now: number): string | undefined {
  if (now < Date.parse(validFrom)) return "the TLS certificate is not valid yet";
  const left = Date.parse(validTo) - now;
  if (left <= 0) return "the TLS certificate has expired";
  return left < WARNING_DAYS * DAY ? "the TLS certificate expires within a week" : undefined;
}
