import type { SessionSignal } from "../../lib/mcp/sessions/channel.ts";

/** No error: the session is over (RFC 6455 §7.4.1). */
const NORMAL = 1000;

/** Answers with a WebSocket that hears every later signal. It keeps the object from ending, not from sleeping. */
export function acceptFollower(ctx: DurableObjectState): Response {
  const { 0: theirs, 1: ours } = new WebSocketPair();
  ctx.acceptWebSocket(ours);
  return new Response(null, { status: 101, webSocket: theirs });
}

/** @returns how many sockets took the signal */
export function tellFollowers(ctx: DurableObjectState, signal: string): number {
  return ctx.getWebSockets().filter((socket) => tell(socket, signal)).length;
}

/** Tells that the session is over, and that nothing more comes. */
export function dismissFollowers(ctx: DurableObjectState): void {
  const ended: SessionSignal = { kind: "ended" };
  tellFollowers(ctx, JSON.stringify(ended));
  for (const socket of ctx.getWebSockets()) socket.close(NORMAL);
}

/** One that is closing refuses. */
function tell(socket: WebSocket, signal: string): boolean {
  if (socket.readyState !== WebSocket.OPEN) return false;
  try {
    socket.send(signal);
    return true;
  } catch {
    return false;
  }
}
