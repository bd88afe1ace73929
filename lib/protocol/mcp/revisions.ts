/** Revisions with a handshake, and sessions where the server keeps them; the newest first. */
export const SESSION_REVISIONS = ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"] as const;

/** Revisions in which every request tells everything about itself. */
export const STATELESS_REVISIONS = ["2026-07-28"] as const;

export const LATEST_SESSION_REVISION = SESSION_REVISIONS[0];

/** What a request without the header is of (MCP 2025-06-18, Transports, Protocol Version Header); the only one with batches. */
export const UNNAMED_REVISION = "2025-03-26";

/** What HTTP+SSE is of. */
export const SSE_REVISION = "2024-11-05";

export function isSessionRevision(revision: unknown): boolean {
  return SESSION_REVISIONS.some((known) => known === revision);
}

export function isStatelessRevision(revision: unknown): boolean {
  return STATELESS_REVISIONS.some((known) => known === revision);
}

/** Every text that looks like a revision and is none of the session generation is a matter of the stateless one. */
export function isOfStatelessGeneration(header: string | null): boolean {
  return header !== null && /^\d{4}-\d{2}-\d{2}$/.test(header) && header > LATEST_SESSION_REVISION;
}
