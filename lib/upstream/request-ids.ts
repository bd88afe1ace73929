import { isRequestId, type RequestId } from "../protocol/mcp/message.ts";

/**
 * The id of a request that an upstream makes, as the agent gets it: several upstreams count on their own, and whoever gets
 * the answer has to know which one asked. Progress tokens likewise.
 */
export function agentFacingId(app: string, id: RequestId): string {
  return `${encodeURIComponent(app)}/${JSON.stringify(id)}`;
}

/** The app and the upstream's own id; undefined for a text that is none of ours. */
export function upstreamId(text: RequestId): { readonly app: string; readonly id: RequestId } | undefined {
  const [, app, json] = typeof text === "string" ? (/^([^/]+)\/(.+)$/s.exec(text) ?? []) : [];
  if (app === undefined || json === undefined) return undefined;
  try {
    const id: unknown = JSON.parse(json);
    return isRequestId(id) ? { app: decodeURIComponent(app), id } : undefined;
  } catch {
    // Neither JSON nor an encoded name: an id that somebody made up.
    return undefined;
  }
}

/**
 * The id of a request to the agent whose answer a request of ours waits for: it is published in the agent's session, and no
 * upstream gets it. `~` begins no JSON, so that it is never taken for an upstream's.
 *
 * @param text tells it from others of the session
 */
export function waitingId(app: string, text: string): string {
  return `${encodeURIComponent(app)}/~${text}`;
}

export function isWaitingId(id: RequestId): boolean {
  return typeof id === "string" && /^[^/]+\/~/.test(id);
}
