import type { Gateway } from "../../gateway/gateway.ts";
import type { McpSessionRecord } from "../../stores/mcp-sessions.ts";
import type { Caller, LiveSession } from "../caller.ts";
import { jsonRpcError, REFUSED, SESSION_NOT_FOUND } from "../json-rpc.ts";
import { principalOf } from "./principal.ts";
import { isSessionId, sessionHash } from "./session-id.ts";

/** A session as a request names it. */
export interface PresentedSession {
  readonly id: string | undefined;
  /** How the id is carried, for the one who left it out. */
  readonly where: string;
  /** Which the request came by. A session is of one: the other has its own streams, and its own ways to end it. */
  readonly transport: McpSessionRecord["transport"];
}

/**
 * The session with an id, if the caller is in it, and that it was used just now; else the answer that refuses the request.
 * Unknown, expired, ended and foreign ones, and those of the other transport, are the same (MCP, Session Management: a
 * client that gets 404 begins anew).
 */
export async function useSession(
  { id, where, transport }: PresentedSession,
  { identity }: Pick<Caller, "identity">,
  { dependencies }: Pick<Gateway, "dependencies">,
): Promise<LiveSession | Response> {
  if (id === undefined || id === "") return jsonRpcError(400, REFUSED, `${where} is required.`);
  if (!isSessionId(id)) return notFound();
  const reference = { sessionHash: sessionHash(id), principal: principalOf(identity) };
  const record = await dependencies.stores.mcpSessions.use(reference, dependencies.clock.now());
  return record?.transport === transport ? { reference, record } : notFound();
}

function notFound(): Response {
  // Some clients know by these words that they have to begin anew.
  return jsonRpcError(404, SESSION_NOT_FOUND, "Session not found");
}
