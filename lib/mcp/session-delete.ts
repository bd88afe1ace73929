import type { McpStreamConfiguration } from "../config/configuration.ts";
import type { Gateway } from "../gateway/gateway.ts";
import type { Caller } from "./caller.ts";
import { methodNotAllowed } from "./method-not-allowed.ts";
import { refuseNamedRevision } from "./revision-header.ts";
import { endSession } from "./sessions/end-session.ts";
import { useSession } from "./sessions/use-session.ts";

/** DELETE: the client ends its session (MCP 2025-11-25, Transports, Session Management), where it may. */
export async function sessionDelete(
  request: Request,
  caller: Caller,
  stream: McpStreamConfiguration,
  gateway: Gateway,
): Promise<Response> {
  const { session } = stream;
  if (!session?.allowClientTermination) return methodNotAllowed(stream, gateway);
  const id = request.headers.get(session.headerName) ?? undefined;
  const where = `The ${session.headerName} header`;
  const live = await useSession({ id, where, transport: "stream" }, caller, gateway);
  if (live instanceof Response) return live;
  const refusal = refuseNamedRevision(request);
  if (refusal !== undefined) return refusal;
  await endSession(live, "client_terminated", caller, gateway);
  return new Response(null, { status: 204 });
}
