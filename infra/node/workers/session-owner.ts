import type { IncomingMessage } from "node:http";
import type { Configuration } from "../../../lib/config/configuration.ts";
import { SESSION_PARAMETER } from "../../../lib/protocol/mcp/session-id.ts";

/**
 * Which worker answers a request of a session, where one of them has to: some app's server speaks the legacy transport, whose
 * connection is held for the session and cannot be shared between processes. Undefined: any may.
 */
export function sessionOwner(configuration: () => Configuration, workers: number): OwnerOf {
  let current = configuration();
  let ownerOf = ownerIn(current, workers);
  return (request) => {
    if (configuration() !== current) {
      current = configuration();
      ownerOf = ownerIn(current, workers);
    }
    return ownerOf(request);
  };
}

type OwnerOf = (request: Pick<IncomingMessage, "headers" | "url">) => number | undefined;

function ownerIn({ apps, mcpProvider }: Configuration, workers: number): OwnerOf {
  const holdsConnections = apps.some((app) => app.type === "mcpProxy" && app.transport === "sse");
  if (!holdsConnections) return () => undefined;
  const header = mcpProvider?.stream?.session?.headerName.toLowerCase();
  return ({ headers, url = "" }) => {
    const id = (header === undefined ? undefined : headers[header]) ?? parameterOf(url);
    return typeof id === "string" ? (checksum(id) % workers) + 1 : undefined;
  };
}

function parameterOf(url: string): string | undefined {
  if (!url.includes(`${SESSION_PARAMETER}=`)) return undefined;
  return new URLSearchParams(url.slice(url.indexOf("?"))).get(SESSION_PARAMETER) ?? undefined;
}

/** FNV-1a, 32 bits: the same id has the same worker in each process. */
function checksum(text: string): number {
  let sum = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) sum = Math.imul(sum ^ text.charCodeAt(at), 0x01000193);
  return sum >>> 0;
}
